import { Field, Input } from '@/components/ui/field';
import { RadioCard } from '@/components/ui/radio-card';

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
        <RadioCard
          name="order"
          label="None"
          hint="Fastest. A failed delivery does not hold up newer ones."
          checked={value.order === 'none'}
          onChoose={() => onChange({ ...value, order: 'none' })}
        />
        <RadioCard
          name="order"
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
