import { Search } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Input } from '@/components/ui/field';

/** Above this many, a list is searched rather than read. */
const SEARCHED_FROM = 8;

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

/** Some of a list that may be long. */
export function Choices({ label, hint, empty, items, chosen, onChange }: ChoicesProps) {
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
