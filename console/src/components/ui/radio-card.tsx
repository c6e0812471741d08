interface RadioCardProps {
  /** Of the group: one of those with the same name is chosen. */
  name: string;
  label: string;
  hint: string;
  checked: boolean;
  onChoose: () => void;
}

/** One of a few choices, with words on what it means. */
export function RadioCard({ name, label, hint, checked, onChoose }: RadioCardProps) {
  return (
    <label className="flex gap-2.5 rounded-lg border border-line px-3.5 py-2.5 text-sm has-checked:border-accent has-checked:bg-accent-soft/50">
      <input
        type="radio"
        name={name}
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
