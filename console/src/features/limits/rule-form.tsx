import { useId, useState } from 'react';
import { IssuesNote } from '@/components/issues-note';
import { sessionName } from '@/components/session/name';
import { Button } from '@/components/ui/button';
import { DialogActions } from '@/components/ui/dialog';
import { Field, Input, Select, VerbatimInput } from '@/components/ui/field';
import { RadioCard } from '@/components/ui/radio-card';
import { useSessions, useTdMethods, useTokens } from '@/lib/queries';
import type { LimitRule } from '@/lib/types';
import { words } from '@/lib/words';
import { ANY_CALL, GROUPS } from './limit-words';
import { RulePreviewNote } from './rule-preview-note';
import { targetWords } from './rule-target';

const PERIODS = ['minute', 'hour', 'day', 'week'] as const satisfies readonly LimitRule['per'][];
const MAX_OF_ALL = 1_000_000_000_000;

/** A rule as the form gives it. */
export interface RuleValues {
  readonly target: Pick<LimitRule, 'kind' | 'session_id' | 'token_id'>;
  readonly methods: readonly string[];
  readonly max: number;
  readonly per: LimitRule['per'];
  /** Absent for minutes and hours, which are the same everywhere. */
  readonly timezone: string | undefined;
  readonly label: string;
}

type Whom = 'user' | 'bot' | 'session' | 'token';

interface RuleFormProps {
  /** Absent for a new rule; whom a rule binds cannot be changed. */
  rule?: LimitRule;
  action: string;
  lead: string;
  pending: boolean;
  error: unknown;
  onSubmit: (values: RuleValues) => void;
  onClose: () => void;
}

/** What may be done how often and by whom, with what the rule would do among the others. */
export function RuleForm({ rule, action, lead, pending, error, onSubmit, onClose }: RuleFormProps) {
  const sessions = useSessions();
  const tokens = useTokens();
  const known = useTdMethods();
  const zonesId = useId();
  const [whom, setWhom] = useState<Whom>('user');
  const [sessionId, setSessionId] = useState('');
  const [tokenId, setTokenId] = useState('');
  const [groups, setGroups] = useState<ReadonlySet<string>>(
    new Set(rule ? rule.methods.filter((name) => name === ANY_CALL || name in GROUPS) : ['@send']),
  );
  const [others, setOthers] = useState(
    (rule?.methods ?? []).filter((name) => name !== ANY_CALL && !(name in GROUPS)).join(' '),
  );
  const [max, setMax] = useState(String(rule?.max ?? 100));
  const [per, setPer] = useState<LimitRule['per']>(rule?.per ?? 'day');
  const [timezone, setTimezone] = useState(() => rule?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [label, setLabel] = useState(rule?.label ?? '');
  const [isTried, setIsTried] = useState(false);

  const target = rule ?? targetOf(whom, sessionId, tokenId);
  const methods = [...groups, ...words(others)];
  const amount = /^\d{1,13}$/.test(max.trim()) ? Number(max) : Number.NaN;
  const wrongMethod = known.data && words(others).find((name) => !known.data.some((method) => method.name === name));
  const problems = {
    session: whom === 'session' && sessionId === '' && !rule ? 'Choose a session.' : undefined,
    token: whom === 'token' && tokenId === '' && !rule ? 'Choose a token.' : undefined,
    methods:
      methods.length === 0
        ? 'Choose what it counts.'
        : wrongMethod !== undefined
          ? `${wrongMethod} is no method of td_api.`
          : undefined,
    max: amount >= 1 && amount <= MAX_OF_ALL ? undefined : 'A whole number from 1 to 1,000,000,000,000 is needed.',
  };
  const shown = isTried ? problems : undefined;
  const hasDays = per === 'day' || per === 'week';
  const submit = (): void => {
    setIsTried(true);
    if (Object.values(problems).some((problem) => problem !== undefined)) return;
    const { kind, session_id, token_id } = target;
    onSubmit({
      target: {
        ...(kind === undefined ? {} : { kind }),
        ...(session_id === undefined ? {} : { session_id }),
        ...(token_id === undefined ? {} : { token_id }),
      },
      methods,
      max: amount,
      per,
      timezone: hasDays ? timezone.trim() : undefined,
      label: label.trim(),
    });
  };
  return (
    <form
      noValidate
      className="flex flex-col gap-5"
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {rule ? (
        <p className="text-sm">
          <span className="text-ink-2">Binds:</span> {targetWords(rule, sessions.data ?? [], tokens.data ?? [])}
          <span className="block text-xs text-ink-3">Whom it binds cannot be changed: make another rule for that.</span>
        </p>
      ) : (
        <fieldset className="flex flex-col gap-2">
          <legend className="mb-1.5 text-sm font-medium">Whom it binds</legend>
          <div className="grid gap-2 sm:grid-cols-2">
            {WHOM.map(({ value, name, hint }) => (
              <RadioCard
                key={value}
                name="whom"
                label={name}
                hint={hint}
                checked={whom === value}
                onChoose={() => setWhom(value)}
              />
            ))}
          </div>
          {whom === 'session' && (
            <Field label="Session" error={shown?.session}>
              {(wiring) => (
                <Select {...wiring} value={sessionId} onChange={({ target: { value } }) => setSessionId(value)}>
                  <option value="">Choose a session…</option>
                  {(sessions.data ?? []).map((session) => (
                    <option key={session.id} value={session.id}>
                      {sessionName(session)}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          )}
          {whom === 'token' && (
            <Field label="Token" error={shown?.token}>
              {(wiring) => (
                <Select {...wiring} value={tokenId} onChange={({ target: { value } }) => setTokenId(value)}>
                  <option value="">Choose a token…</option>
                  {(tokens.data ?? []).map(({ id, name, prefix }) => (
                    <option key={id} value={id}>
                      {name ?? prefix}
                    </option>
                  ))}
                </Select>
              )}
            </Field>
          )}
        </fieldset>
      )}
      <fieldset>
        <legend className="text-sm font-medium">What it counts</legend>
        <div className="mt-2 grid gap-x-4 rounded-lg border border-line py-1 sm:grid-cols-2">
          {[...Object.entries(GROUPS), [ANY_CALL, { word: 'Every call', hint: 'Whatever its method' }] as const].map(
            ([name, { word, hint }]) => (
              <label key={name} className="flex min-w-0 gap-2.5 px-3.5 py-1.5 text-sm hover:bg-sunken/60">
                <input
                  type="checkbox"
                  checked={groups.has(name)}
                  onChange={(event) => {
                    const next = new Set(groups);
                    if (event.target.checked) next.add(name);
                    else next.delete(name);
                    setGroups(next);
                  }}
                  className="mt-0.5 size-4 shrink-0 accent-accent"
                />
                <span className="min-w-0">
                  {word}
                  <span className="block text-xs text-ink-2">{hint}</span>
                </span>
              </label>
            ),
          )}
        </div>
        <Field
          label="Other methods"
          optional
          className="mt-3"
          error={shown?.methods}
          hint="Names of td_api, separated by spaces. All that is chosen is counted together."
        >
          {(wiring) => (
            <VerbatimInput
              {...wiring}
              value={others}
              onChange={(event) => setOthers(event.target.value)}
              className="font-mono text-xs sm:text-xs"
            />
          )}
        </Field>
      </fieldset>
      <div className="grid gap-3 sm:grid-cols-3">
        <Field label="At most" error={shown?.max}>
          {(wiring) => (
            <Input
              {...wiring}
              inputMode="numeric"
              autoComplete="off"
              value={max}
              onChange={(event) => setMax(event.target.value)}
            />
          )}
        </Field>
        <Field label="Per">
          {(wiring) => (
            <Select
              {...wiring}
              value={per}
              onChange={(event) => setPer(PERIODS.find((period) => period === event.target.value) ?? per)}
            >
              {PERIODS.map((period) => (
                <option key={period}>{period}</option>
              ))}
            </Select>
          )}
        </Field>
        {hasDays && (
          <Field label="Time zone" hint="Where its day begins.">
            {(wiring) => (
              <>
                <Input
                  {...wiring}
                  list={zonesId}
                  autoComplete="off"
                  value={timezone}
                  onChange={(event) => setTimezone(event.target.value)}
                />
                <datalist id={zonesId}>
                  {Intl.supportedValuesOf('timeZone').map((zone) => (
                    <option key={zone} value={zone} />
                  ))}
                </datalist>
              </>
            )}
          </Field>
        )}
      </div>
      <Field label="Label" optional>
        {(wiring) => (
          <Input {...wiring} maxLength={200} value={label} onChange={(event) => setLabel(event.target.value)} />
        )}
      </Field>
      <RulePreviewNote draft={{ ...target, methods, per, enabled: rule?.enabled ?? true }} />
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

const WHOM: readonly { readonly value: Whom; readonly name: string; readonly hint: string }[] = [
  { value: 'user', name: 'Every user account', hint: 'That has no closer rule; each is counted on its own.' },
  { value: 'bot', name: 'Every bot', hint: 'That has no closer rule; each is counted on its own.' },
  { value: 'session', name: 'One session', hint: 'In the place of the rule of its kind.' },
  { value: 'token', name: 'The calls of one token', hint: 'In each of its sessions, in the place of their rules.' },
];

function targetOf(whom: Whom, sessionId: string, tokenId: string): RuleValues['target'] {
  switch (whom) {
    case 'user':
    case 'bot':
      return { kind: whom };
    case 'session':
      return { session_id: sessionId };
    case 'token':
      return { token_id: tokenId };
  }
}
