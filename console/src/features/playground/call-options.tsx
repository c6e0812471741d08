import { Button } from '@/components/ui/button';
import { Field, Input } from '@/components/ui/field';

/** What a call may ask for beside its method. */
export interface CallOptionsValue {
  /** Seconds as typed; undefined while the call does not wait. */
  readonly wait: string | undefined;
  /** Undefined while the call may be repeated freely. */
  readonly key: string | undefined;
}

/** A key that nobody else has; `crypto.randomUUID` is missing on pages that came over plain HTTP. */
export function newKey(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

/** @returns what is wrong with the options, or undefined. */
export function optionsProblem({ wait, key }: CallOptionsValue): { wait?: string; key?: string } | undefined {
  const problem = {
    ...(wait !== undefined && !/^([1-9]|[1-5]\d|60)$/.test(wait.trim()) ? { wait: 'Whole seconds from 1 to 60.' } : {}),
    ...(key !== undefined && !/^[\x21-\x7e]{1,255}$/.test(key)
      ? { key: 'A key has 1 to 255 characters without spaces.' }
      : {}),
  };
  return Object.keys(problem).length > 0 ? problem : undefined;
}

interface CallOptionsProps {
  value: CallOptionsValue;
  problem: { wait?: string; key?: string } | undefined;
  onChange: (value: CallOptionsValue) => void;
}

/** For methods that send: waiting for Telegram's decision, and sending once only. */
export function CallOptions({ value, problem, onChange }: CallOptionsProps) {
  return (
    <fieldset className="flex flex-col gap-3 rounded-lg border border-line px-3.5 py-3">
      <legend className="px-1 text-xs font-medium text-ink-2">For what it sends</legend>
      <Choice
        label="Wait for Telegram’s decision"
        hint="The answer comes with what became of each message. Without it, the message is followed below the answer."
        checked={value.wait !== undefined}
        onChange={(checked) => onChange({ ...value, wait: checked ? '30' : undefined })}
      />
      {value.wait !== undefined && (
        <Field label="Seconds at most" error={problem?.wait} className="ml-6 max-w-40">
          {(wiring) => (
            <Input
              {...wiring}
              inputMode="numeric"
              autoComplete="off"
              value={value.wait}
              onChange={(event) => onChange({ ...value, wait: event.target.value })}
            />
          )}
        </Field>
      )}
      <Choice
        label="Send once"
        hint="With an Idempotency-Key, a repeat of the same call within 24 hours gets the first answer and sends nothing."
        checked={value.key !== undefined}
        onChange={(checked) => onChange({ ...value, key: checked ? newKey() : undefined })}
      />
      {value.key !== undefined && (
        <div className="ml-6 flex items-end gap-2">
          <Field label="Idempotency-Key" error={problem?.key} className="min-w-0 flex-1">
            {(wiring) => (
              <Input
                {...wiring}
                autoComplete="off"
                spellCheck={false}
                className="font-mono"
                value={value.key}
                onChange={(event) => onChange({ ...value, key: event.target.value })}
              />
            )}
          </Field>
          <Button onClick={() => onChange({ ...value, key: newKey() })}>New key</Button>
        </div>
      )}
    </fieldset>
  );
}

interface ChoiceProps {
  label: string;
  hint: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

function Choice({ label, hint, checked, onChange }: ChoiceProps) {
  return (
    <label className="flex gap-2.5 text-sm">
      <input
        type="checkbox"
        checked={checked}
        onChange={(event) => onChange(event.target.checked)}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <span>
        <span className="block font-medium">{label}</span>
        <span className="block text-xs text-ink-2">{hint}</span>
      </span>
    </label>
  );
}
