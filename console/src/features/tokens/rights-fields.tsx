import { useId } from 'react';
import { METHOD_CLASS } from '@/components/call/method-class';
import { Choices } from '@/components/choices';
import { Field, Input, Select, TextArea } from '@/components/ui/field';
import { RadioCard } from '@/components/ui/radio-card';
import { usePools } from '@/lib/queries';
import { formatAbsolute } from '@/lib/time';
import { CLASS_LETS, CLASSES } from './token-rights';
import type { Expiry, TokenDraft, TokenProblems } from './token-values';

interface RightsFieldsProps {
  draft: TokenDraft;
  problems: TokenProblems;
  /** When the token ends now; absent for a new one and for one without end. */
  endsAt: string | undefined;
  onChange: (change: Partial<TokenDraft>) => void;
}

/** What a token may do in the sessions that it reaches, and until when. */
export function RightsFields({ draft, problems, endsAt, onChange }: RightsFieldsProps) {
  return (
    <>
      <ClassesField draft={draft} problem={problems.classes} onChange={onChange} />
      <NarrowedField
        name="methods"
        legend="Methods"
        all={['All methods of these classes', 'Also those of later versions.']}
        some={['Only some methods', 'Of those classes, these and no others.']}
        hint="Names of td_api, separated by spaces: getChatHistory sendMessage"
        narrowed={draft.someMethods}
        value={draft.methods}
        problem={problems.methods}
        onNarrow={(someMethods) => onChange({ someMethods })}
        onChange={(methods) => onChange({ methods })}
      />
      <NarrowedField
        name="chats"
        legend="Chats"
        all={['All chats', 'Whatever the session can see.']}
        some={['Only some chats', 'It sees and writes in these; methods that look across chats are refused.']}
        hint="Ids, separated by spaces: -1001234567890"
        narrowed={draft.someChats}
        value={draft.chats}
        problem={problems.chats}
        onNarrow={(someChats) => onChange({ someChats })}
        onChange={(chats) => onChange({ chats })}
      />
      <ExpiryField draft={draft} problem={problems.expiry} endsAt={endsAt} onChange={onChange} />
      <PoolsField draft={draft} onChange={onChange} />
    </>
  );
}

type PartProps = Pick<RightsFieldsProps, 'draft' | 'onChange'> & { problem: string | undefined };

function ClassesField({ draft, problem, onChange }: PartProps) {
  const id = useId();
  return (
    <fieldset {...(problem === undefined ? {} : { 'aria-describedby': id })}>
      <legend className="text-sm font-medium">What it may do there</legend>
      <div className="mt-2 rounded-lg border border-line py-1">
        {CLASSES.map((name) => {
          const { word, icon: Icon } = METHOD_CLASS[name];
          return (
            <label key={name} className="flex gap-2.5 px-3.5 py-2 text-sm hover:bg-sunken/60">
              <input
                type="checkbox"
                checked={draft.classes.has(name)}
                onChange={(event) => {
                  const next = new Set(draft.classes);
                  if (event.target.checked) next.add(name);
                  else next.delete(name);
                  onChange({ classes: next });
                }}
                className="mt-0.5 size-4 shrink-0 accent-accent"
              />
              <span className="min-w-0">
                <span className="flex items-center gap-1.5 font-medium">
                  <Icon aria-hidden className="size-3.5 text-ink-3" />
                  {word}
                </span>
                <span className="block text-xs text-ink-2">{CLASS_LETS[name]}</span>
              </span>
            </label>
          );
        })}
      </div>
      {problem !== undefined && (
        <p id={id} role="alert" className="mt-1.5 text-xs font-medium text-bad">
          {problem}
        </p>
      )}
      {draft.classes.has('account') && (
        <p role="status" className="mt-2 rounded-lg bg-bad-soft px-3.5 py-2.5 text-xs text-bad">
          Whoever holds such a token can take the account away from you.
        </p>
      )}
    </fieldset>
  );
}

interface NarrowedFieldProps {
  name: string;
  legend: string;
  all: readonly [label: string, hint: string];
  some: readonly [label: string, hint: string];
  /** Under the list. */
  hint: string;
  narrowed: boolean;
  value: string;
  problem: string | undefined;
  onNarrow: (narrowed: boolean) => void;
  onChange: (value: string) => void;
}

/** Everything, or what is listed. */
function NarrowedField({ name, legend, all, some, hint, narrowed, value, problem, ...on }: NarrowedFieldProps) {
  return (
    <fieldset className="flex flex-col gap-2">
      <legend className="mb-1.5 text-sm font-medium">{legend}</legend>
      <div className="grid gap-2 sm:grid-cols-2">
        <RadioCard name={name} label={all[0]} hint={all[1]} checked={!narrowed} onChoose={() => on.onNarrow(false)} />
        <RadioCard name={name} label={some[0]} hint={some[1]} checked={narrowed} onChoose={() => on.onNarrow(true)} />
      </div>
      {narrowed && (
        <Field label={`Which ${legend.toLowerCase()}`} error={problem} hint={hint}>
          {(wiring) => (
            <TextArea
              {...wiring}
              rows={2}
              value={value}
              onChange={(event) => on.onChange(event.target.value)}
              autoCapitalize="off"
              spellCheck={false}
              className="font-mono text-xs sm:text-xs"
            />
          )}
        </Field>
      )}
    </fieldset>
  );
}

const EXPIRIES: readonly { readonly value: Expiry; readonly label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: '7', label: 'In 7 days' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
  { value: 'at', label: 'At a time…' },
];

function ExpiryField({ draft, problem, endsAt, onChange }: PartProps & { endsAt: string | undefined }) {
  return (
    <div className="flex flex-wrap gap-3">
      <Field
        label="Expires"
        hint="From then on it is refused everywhere."
        className="min-w-48 flex-1"
        {...(draft.expiry === 'at' ? {} : { error: problem })}
      >
        {(wiring) => (
          <Select
            {...wiring}
            value={draft.expiry}
            onChange={(event) => {
              const next = [...EXPIRIES, KEEP].find(({ value }) => value === event.target.value);
              if (next) onChange({ expiry: next.value });
            }}
          >
            {endsAt !== undefined && <option value={KEEP.value}>As it is: {formatAbsolute(new Date(endsAt))}</option>}
            {EXPIRIES.map(({ value, label }) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
        )}
      </Field>
      {draft.expiry === 'at' && (
        <Field label="When" error={problem} hint="In the zone of this browser." className="min-w-48 flex-1">
          {(wiring) => (
            <Input
              {...wiring}
              type="datetime-local"
              value={draft.expiresAt}
              onChange={(event) => onChange({ expiresAt: event.target.value })}
            />
          )}
        </Field>
      )}
    </div>
  );
}

const KEEP = { value: 'keep', label: '' } as const;

function PoolsField({ draft, onChange }: Omit<PartProps, 'problem'>) {
  const pools = usePools();
  const known = pools.data?.map(({ id, name }) => ({ id, name }));
  // One that was deleted since can be taken from the token all the same.
  const gone = [...draft.poolIds]
    .filter((id) => known?.some((pool) => pool.id === id) === false)
    .map((id) => ({ id, name: 'A pool that is gone', detail: id.slice(0, 8) }));
  return (
    <>
      <Choices
        label="Bot pools"
        hint="Their objects, by S3 too. A pool is reached only when it is chosen here."
        empty="There are no pools."
        items={known && [...known, ...gone]}
        chosen={draft.poolIds}
        onChange={(poolIds) => onChange({ poolIds })}
      />
      {draft.poolIds.size > 0 && (
        <Field label="In its pools it may" className="max-w-72">
          {(wiring) => (
            <Select
              {...wiring}
              value={draft.poolAccess}
              onChange={(event) => onChange({ poolAccess: event.target.value === 'write' ? 'write' : 'read' })}
            >
              <option value="read">read objects</option>
              <option value="write">read, put and delete objects</option>
            </Select>
          )}
        </Field>
      )}
    </>
  );
}
