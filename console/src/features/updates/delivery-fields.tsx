import { Field, Input } from '@/components/ui/field';

/** How deliveries are made, as typed. */
export interface DeliveryOptions {
  readonly order: 'none' | 'chat';
  readonly connections: string;
}

interface DeliveryFieldsProps {
  value: DeliveryOptions;
  /** What is wrong with the number of connections. */
  problem: string | undefined;
  onChange: (value: DeliveryOptions) => void;
}

/** In which order, and how many at once. */
export function DeliveryFields({ value, problem, onChange }: DeliveryFieldsProps) {
  return (
    <div className="flex flex-col gap-4">
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">Order</legend>
        <Order
          label="None"
          hint="Fastest. A failed delivery does not hold up newer ones."
          checked={value.order === 'none'}
          onChoose={() => onChange({ ...value, order: 'none' })}
        />
        <Order
          label="By chat"
          hint="One at a time for each chat, none overtakes another, repeats included. Other chats go on."
          checked={value.order === 'chat'}
          onChoose={() => onChange({ ...value, order: 'chat' })}
        />
      </fieldset>
      <Field
        label="Deliveries at once, at most"
        error={problem}
        hint="It begins with 4 and grows while the receiver keeps up."
        className="max-w-60"
      >
        {(wiring) => (
          <Input
            {...wiring}
            inputMode="numeric"
            autoComplete="off"
            value={value.connections}
            onChange={(event) => onChange({ ...value, connections: event.target.value })}
          />
        )}
      </Field>
    </div>
  );
}

interface OrderProps {
  label: string;
  hint: string;
  checked: boolean;
  onChoose: () => void;
}

function Order({ label, hint, checked, onChoose }: OrderProps) {
  return (
    <label className="flex gap-2.5 rounded-lg border border-line px-3.5 py-2.5 text-sm has-checked:border-accent has-checked:bg-accent-soft/50">
      <input
        type="radio"
        name="order"
        checked={checked}
        onChange={onChoose}
        className="mt-0.5 size-4 shrink-0 accent-accent"
      />
      <span>
        <span className="block font-medium">{label}</span>
        <span className="block text-xs text-ink-2">{hint}</span>
      </span>
    </label>
  );
}
