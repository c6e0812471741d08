import { useState, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { Choices } from '@/components/choices';
import { showIssues } from '@/components/form';
import { sessionName, telegramName } from '@/components/session/name';
import { useSessionNames } from '@/components/session/use-session-names';
import { Button } from '@/components/ui/button';
import { DialogActions } from '@/components/ui/dialog';
import { Field, Input, Select, VerbatimInput } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { ApiError } from '@/lib/api-error';
import { usePools, useSessions } from '@/lib/queries';
import type { Pool } from '@/lib/types';
import { UnfitBots } from './unfit-bots';

const MIB = 1_024 * 1_024;
const NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const FIELDS = ['name', 'chat_id', 'chunk_size'] as const;

/** What a pool is set to, as the API takes it. */
export interface PoolSettings {
  readonly name: string;
  readonly chunk_size: number;
  readonly budget: Pool['budget'];
  readonly encryption: boolean;
  /** Absent when it stays, as each that is named is looked at anew. */
  readonly janitor_session_id?: string | null;
  readonly scrub: NonNullable<Pool['scrub']> | null;
}

/** What only a new pool is asked for. */
export interface PoolParts {
  readonly chat_id: number;
  readonly session_ids: string[];
}

interface PoolFormProps {
  /** Absent for a new pool; the bots and chats of one are changed on its page. */
  pool?: Pool;
  action: string;
  lead: string;
  pending: boolean;
  error: unknown;
  onSubmit: (settings: PoolSettings, parts: PoolParts, refuse: (thrown: unknown) => void) => void;
  onClose: () => void;
}

interface Typed {
  name: string;
  chat_id: string;
  chunk_size: string;
  max: string;
  window_s: string;
  gap_ms: string;
  encryption: boolean;
  /** Empty for none. */
  janitor: string;
  /** Empty for never. */
  every_h: string;
  sample: string;
}

const wholeFrom =
  (least: number, most: number) =>
  (value: string): true | string =>
    (/^\d{1,6}$/.test(value.trim()) && Number(value) >= least && Number(value) <= most) ||
    `A whole number from ${least} to ${most}.`;

const isChat = (value: string): true | string =>
  (/^-\d{1,16}$/.test(value.trim()) && Number.isSafeInteger(Number(value))) ||
  'The id of a channel or supergroup, such as -1001234567890.';

/** The fields of a pool. */
export function PoolForm({ pool, action, lead, pending, error, onSubmit, onClose }: PoolFormProps) {
  const former = pool?.janitor_session_id ?? '';
  const { register, handleSubmit, formState, setError } = useForm<Typed>({
    defaultValues: {
      name: pool?.name ?? '',
      chat_id: '',
      chunk_size: String((pool?.chunk_size ?? 64 * MIB) / MIB),
      max: String(pool?.budget.max ?? 20),
      window_s: String(pool?.budget.window_s ?? 60),
      gap_ms: String(pool?.budget.gap_ms ?? 1_000),
      encryption: pool?.encryption ?? false,
      janitor: former,
      every_h: pool?.scrub === undefined ? '' : String(pool.scrub.every_h),
      sample: String(pool?.scrub?.sample ?? 5),
    },
  });
  const { errors } = formState;
  const [bots, setBots] = useState<ReadonlySet<string>>(new Set());
  const [isTried, setIsTried] = useState(false);
  const janitors = useJanitors(former);
  const lacksBots = pool === undefined && bots.size === 0;
  const submit = handleSubmit((values) => {
    if (lacksBots) return;
    onSubmit(
      {
        name: values.name.trim(),
        chunk_size: Number(values.chunk_size) * MIB,
        budget: { max: Number(values.max), window_s: Number(values.window_s), gap_ms: Number(values.gap_ms) },
        encryption: values.encryption,
        ...(values.janitor !== former && { janitor_session_id: values.janitor === '' ? null : values.janitor }),
        scrub: values.every_h.trim() === '' ? null : { every_h: Number(values.every_h), sample: Number(values.sample) },
      },
      { chat_id: Number(values.chat_id), session_ids: [...bots] },
      (thrown) => showIssues(thrown, FIELDS, setError),
    );
  });
  const failure = error === null || error === undefined ? undefined : ApiError.from(error);
  return (
    <form
      noValidate
      onSubmit={(event) => {
        setIsTried(true);
        void submit(event);
      }}
      className="flex flex-col gap-4"
    >
      <Field label="Name" error={errors.name?.message} hint="Programs name the pool by it in their addresses.">
        {(wiring) => (
          <VerbatimInput
            {...wiring}
            autoFocus
            placeholder="store"
            {...register('name', {
              validate: (value) =>
                NAME.test(value.trim()) ||
                '3 to 63 lower-case letters, digits, dots or dashes; the first and the last no dot or dash.',
            })}
          />
        )}
      </Field>
      {pool === undefined && (
        <>
          <Field
            label="Chat"
            error={errors.chat_id?.message}
            hint="The channel or supergroup that keeps the messages. Its messages are the objects: use it for nothing else."
          >
            {(wiring) => (
              <Input
                {...wiring}
                autoComplete="off"
                placeholder="-1001234567890"
                {...register('chat_id', { validate: isChat })}
              />
            )}
          </Field>
          <div>
            <BotChoices chosen={bots} onChange={setBots} />
            {isTried && lacksBots && (
              <p role="alert" className="mt-1.5 text-xs font-medium text-bad">
                Choose at least one bot.
              </p>
            )}
          </div>
        </>
      )}
      <div className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        <NumberField label="MiB a message" error={errors.chunk_size?.message}>
          {(wiring) => <Input {...wiring} {...register('chunk_size', { validate: wholeFrom(1, 2_000) })} />}
        </NumberField>
        <NumberField label="Messages" error={errors.max?.message}>
          {(wiring) => <Input {...wiring} {...register('max', { validate: wholeFrom(1, 1_000) })} />}
        </NumberField>
        <NumberField label="in seconds" error={errors.window_s?.message}>
          {(wiring) => <Input {...wiring} {...register('window_s', { validate: wholeFrom(1, 3_600) })} />}
        </NumberField>
        <NumberField label="ms between two" error={errors.gap_ms?.message}>
          {(wiring) => <Input {...wiring} {...register('gap_ms', { validate: wholeFrom(0, 60_000) })} />}
        </NumberField>
      </div>
      <p className="-mt-2 text-xs text-ink-3">
        Limits of each bot in the chat. Telegram refuses most bots above 20 messages a minute and one a second.
      </p>
      <label className="flex items-center gap-2.5 text-sm">
        <input type="checkbox" {...register('encryption')} className="size-4 shrink-0 accent-accent" />
        Encrypt new messages, so that only this installation reads them
      </label>
      <Field
        label="Janitor"
        optional
        hint="A user who is administrator of the chat: deletes what bots may not any more 48 hours after it was stored."
      >
        {(wiring) => (
          <Select {...wiring} {...register('janitor')}>
            <option value="">None</option>
            {janitors.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </Select>
        )}
      </Field>
      <div className="grid grid-cols-2 gap-4">
        <NumberField label="Check every … hours" error={errors.every_h?.message} optional>
          {(wiring) => (
            <Input
              {...wiring}
              placeholder="never"
              {...register('every_h', { validate: (value) => value.trim() === '' || wholeFrom(1, 8_760)(value) })}
            />
          )}
        </NumberField>
        <NumberField label="Percent that are read" error={errors.sample?.message}>
          {(wiring) => <Input {...wiring} {...register('sample', { validate: wholeFrom(0, 100) })} />}
        </NumberField>
      </div>
      <ErrorNote error={failure && failure.issues.length === 0 ? failure : undefined} lead={lead}>
        <UnfitBots error={error} />
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

type Wiring = Parameters<Parameters<typeof Field>[0]['children']>[0] & { inputMode: 'numeric'; autoComplete: 'off' };

function NumberField({
  label,
  error,
  optional = false,
  children,
}: {
  label: string;
  error: string | undefined;
  optional?: boolean;
  children: (wiring: Wiring) => ReactNode;
}) {
  return (
    <Field label={label} error={error} optional={optional}>
      {(wiring) => children({ ...wiring, inputMode: 'numeric', autoComplete: 'off' })}
    </Field>
  );
}

/** Users that may be chosen, with the one that was, also while nothing is known of it. */
function useJanitors(former: string): readonly { readonly id: string; readonly name: string }[] {
  const sessions = useSessions();
  const nameOf = useSessionNames();
  const ids = sessions.data?.filter(({ kind }) => kind === 'user').map(({ id }) => id) ?? [];
  const all = former === '' || ids.includes(former) ? ids : [former, ...ids];
  return all.map((id) => ({ id, name: nameOf(id) }));
}

interface BotChoicesProps {
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}

/** Bots that are in no pool yet. */
export function BotChoices({ chosen, onChange }: BotChoicesProps) {
  const sessions = useSessions();
  const pools = usePools();
  const taken = new Set(pools.data?.flatMap(({ bots }) => bots.map(({ session_id }) => session_id)));
  const bots = sessions.data?.filter(({ id, kind }) => kind === 'bot' && !taken.has(id));
  return (
    <Choices
      label="Bots"
      hint="Administrators of the chat who may post and delete messages. A bot is in one pool at most."
      empty="No bot is free: add one first."
      items={
        pools.data &&
        bots?.map((bot) => {
          const detail = telegramName(bot);
          return { id: bot.id, name: sessionName(bot), ...(detail === undefined ? {} : { detail }) };
        })
      }
      chosen={chosen}
      onChange={onChange}
    />
  );
}
