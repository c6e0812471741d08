import { Search } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { appName } from '@/components/pickers';
import { sessionName, telegramName } from '@/components/session/name';
import { Button } from '@/components/ui/button';
import { DialogActions } from '@/components/ui/dialog';
import { Field, Input } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { RadioCard } from '@/components/ui/radio-card';
import { ApiError } from '@/lib/api-error';
import { useApps, useSessions } from '@/lib/queries';
import type { Token } from '@/lib/types';

/** What a token may reach: everything, or what is named. */
export interface TokenValues {
  readonly name: string;
  readonly all_sessions: boolean;
  readonly app_ids: readonly string[];
  readonly session_ids: readonly string[];
}

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

/** Above this many, a list is searched rather than read. */
const SEARCHED_FROM = 8;

/** A token's label and scope, with what each scope means. */
export function TokenForm({ token, action, lead, pending, error, onSubmit, onClose }: TokenFormProps) {
  const apps = useApps();
  const sessions = useSessions();
  const { register, handleSubmit } = useForm({ defaultValues: { name: token?.name ?? '' } });
  const [all, setAll] = useState(token?.all_sessions ?? false);
  const [appIds, setAppIds] = useState<ReadonlySet<string>>(new Set(token?.app_ids));
  const [sessionIds, setSessionIds] = useState<ReadonlySet<string>>(new Set(token?.session_ids));
  const [complaint, setComplaint] = useState<string>();
  const submit = handleSubmit(({ name }) => {
    if (!all && appIds.size === 0 && sessionIds.size === 0) {
      setComplaint('Choose at least one app or session: without any, the token opens nothing.');
      return;
    }
    onSubmit({
      name: name.trim(),
      all_sessions: all,
      app_ids: all ? [] : [...appIds],
      session_ids: all ? [] : [...sessionIds],
    });
  });
  const failure = error === null || error === undefined ? undefined : ApiError.from(error);
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
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
          checked={!all}
          onChoose={() => setAll(false)}
        />
        <RadioCard
          name="scope"
          label="All sessions"
          hint="Every session, also those that are added later."
          checked={all}
          onChoose={() => setAll(true)}
        />
      </fieldset>
      {!all && (
        <>
          <Choices
            label="Apps"
            hint="Every session that signs in with the app, also those that are added later."
            empty="No apps are registered."
            items={apps.data?.map((app) => ({ id: app.id, name: appName(app) }))}
            chosen={appIds}
            onChange={(next) => {
              setAppIds(next);
              setComplaint(undefined);
            }}
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
            chosen={sessionIds}
            onChange={(next) => {
              setSessionIds(next);
              setComplaint(undefined);
            }}
          />
        </>
      )}
      {complaint !== undefined && (
        <p role="alert" className="text-xs font-medium text-bad">
          {complaint}
        </p>
      )}
      <p className="rounded-lg bg-sunken px-3.5 py-3 text-xs text-ink-2">
        It may read, send and manage with these sessions. It may not make, log in or remove sessions, nor call methods
        that can cost the account, such as those for its password, its other logins or its deletion.
      </p>
      <ErrorNote error={failure} lead={lead}>
        {failure && failure.issues.length > 0 && (
          <ul className="list-disc pl-4">
            {failure.issues.map((issue) => (
              <li key={issue.path}>
                {issue.path}: {issue.message}
              </li>
            ))}
          </ul>
        )}
      </ErrorNote>
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

interface Choice {
  readonly id: string;
  readonly name: string;
  readonly detail?: string;
}

interface ChoicesProps {
  label: string;
  hint: ReactNode;
  empty: string;
  items: readonly Choice[] | undefined;
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

function Choices({ label, hint, empty, items, chosen, onChange }: ChoicesProps) {
  const [query, setQuery] = useState('');
  const words = query.toLowerCase().trim();
  const shown = items?.filter(({ name, detail }) => `${name} ${detail ?? ''}`.toLowerCase().includes(words)) ?? [];
  return (
    <fieldset>
      <legend className="flex w-full items-baseline justify-between text-sm font-medium">
        {label}
        {chosen.size > 0 && <span className="text-xs font-normal text-ink-2"> {chosen.size} chosen</span>}
      </legend>
      <p className="mt-0.5 text-xs text-ink-3">{hint}</p>
      {items !== undefined && items.length >= SEARCHED_FROM && (
        <label className="relative mt-2 block">
          <span className="sr-only">Search {label.toLowerCase()}</span>
          <Search aria-hidden className="pointer-events-none absolute top-2.5 left-3 size-4 text-ink-3" />
          <Input type="search" className="pl-9" value={query} onChange={(event) => setQuery(event.target.value)} />
        </label>
      )}
      <div className="mt-2 max-h-44 overflow-y-auto rounded-lg border border-line py-1">
        {items === undefined ? (
          <p className="px-3.5 py-2 text-xs text-ink-2">Loading…</p>
        ) : shown.length === 0 ? (
          <p className="px-3.5 py-2 text-xs text-ink-2">{items.length === 0 ? empty : 'None fits.'}</p>
        ) : (
          shown.map((item) => (
            <label key={item.id} className="flex items-center gap-2.5 px-3.5 py-1.5 text-sm hover:bg-sunken/60">
              <input
                type="checkbox"
                checked={chosen.has(item.id)}
                onChange={(event) => {
                  const next = new Set(chosen);
                  if (event.target.checked) next.add(item.id);
                  else next.delete(item.id);
                  onChange(next);
                }}
                className="size-4 shrink-0 accent-accent"
              />
              <span className="min-w-0 truncate">{item.name}</span>
              {item.detail !== undefined && <span className="ml-auto shrink-0 text-xs text-ink-2">{item.detail}</span>}
            </label>
          ))
        )}
      </div>
    </fieldset>
  );
}
