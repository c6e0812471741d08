import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Choices } from '@/components/choices';
import { appName } from '@/components/pickers';
import { sessionName, telegramName } from '@/components/session/name';
import { Button } from '@/components/ui/button';
import { DialogActions } from '@/components/ui/dialog';
import { Field, Input } from '@/components/ui/field';
import { IssuesNote } from '@/components/issues-note';
import { RadioCard } from '@/components/ui/radio-card';
import { useApps, useSessions, useTdMethods } from '@/lib/queries';
import type { Token } from '@/lib/types';
import { RightsFields } from './rights-fields';
import { draftOf, readDraft, type TokenDraft, type TokenProblems, type TokenValues } from './token-values';

interface TokenFormProps {
  /** Absent for a new token. */
  token?: Token;
  action: string;
  lead: string;
  pending: boolean;
  error: unknown;
  onSubmit: (values: TokenValues) => void;
  onClose: () => void;
}

/** A token's label, what it reaches, what it may do there and until when, each with what it means. */
export function TokenForm({ token, action, lead, pending, error, onSubmit, onClose }: TokenFormProps) {
  const apps = useApps();
  const sessions = useSessions();
  const methods = useTdMethods();
  const { register, handleSubmit } = useForm({ defaultValues: { name: token?.name ?? '' } });
  const [draft, setDraft] = useState(() => draftOf(token));
  const [problems, setProblems] = useState<TokenProblems>({});
  const change = (next: Partial<TokenDraft>): void => {
    setDraft({ ...draft, ...next });
    setProblems({});
  };
  const send = ({ name }: { name: string }): void => {
    const read = readDraft(draft, methods.data, Date.now());
    setProblems(read.problems);
    if (Object.keys(read.problems).length === 0) onSubmit({ name: name.trim(), ...read.values });
  };
  const hasProblems = Object.keys(problems).length > 0;
  return (
    <form onSubmit={(event) => void handleSubmit(send)(event)} noValidate className="flex flex-col gap-5">
      <Field label="Label" optional hint="What uses it: a program, a server, a person.">
        {(wiring) => (
          <Input {...wiring} autoFocus maxLength={200} placeholder="billing service" {...register('name')} />
        )}
      </Field>
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">What it reaches</legend>
        <RadioCard
          name="scope"
          label="Only what I choose"
          hint="The sessions of chosen apps, and single sessions."
          checked={!draft.all}
          onChoose={() => change({ all: false })}
        />
        <RadioCard
          name="scope"
          label="All sessions"
          hint="Every session, also those that are added later."
          checked={draft.all}
          onChoose={() => change({ all: true })}
        />
      </fieldset>
      {!draft.all && (
        <>
          <Choices
            label="Apps"
            hint="Every session that signs in with the app, also those that are added later."
            empty="No apps are registered."
            items={apps.data?.map((app) => ({ id: app.id, name: appName(app) }))}
            chosen={draft.appIds}
            onChange={(appIds) => change({ appIds })}
          />
          <Choices
            label="Sessions"
            hint="Exactly these, whatever app they use."
            empty="There are no sessions yet."
            items={sessions.data?.map((session) => {
              const name = sessionName(session);
              const account = telegramName(session);
              return {
                id: session.id,
                name,
                ...(account !== undefined && account !== name ? { detail: account } : {}),
              };
            })}
            chosen={draft.sessionIds}
            onChange={(sessionIds) => change({ sessionIds })}
          />
        </>
      )}
      {problems.reach !== undefined && (
        <p role="alert" className="text-xs font-medium text-bad">
          {problems.reach}
        </p>
      )}
      <RightsFields draft={draft} problems={problems} endsAt={token?.expires_at} onChange={change} />
      <p className="rounded-lg bg-sunken px-3.5 py-3 text-xs text-ink-2">
        Whatever is chosen, it may not make, log in or remove sessions, nor see or change other tokens.
      </p>
      {hasProblems && problems.reach === undefined && (
        <p role="alert" className="text-xs font-medium text-bad">
          Something above is not right yet.
        </p>
      )}
      <IssuesNote error={error} lead={lead} />
      <DialogActions>
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" tone="primary" pending={pending}>
          {action}
        </Button>
      </DialogActions>
    </form>
  );
}
