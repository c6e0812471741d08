import { Ban } from 'lucide-react';
import { useId, useState, type KeyboardEvent } from 'react';
import { METHOD_CLASS } from '@/components/call/method-class';
import { Badge } from '@/components/ui/badge';
import { Field, VerbatimInput } from '@/components/ui/field';
import { cn } from '@/lib/cn';
import type { SessionKind, TdMethod } from '@/lib/types';
import { fuzzyMatch } from './fuzzy';
import { firstSentence } from './td/schema';

const SHOWN = 40;

interface Found {
  readonly method: TdMethod;
  readonly at: readonly number[];
}

/** The methods that fit, best first; what this kind of session may not call comes after what it may. */
export function findMethods(methods: readonly TdMethod[], query: string, kind: SessionKind): readonly Found[] {
  return methods
    .flatMap((method) => {
      const match = fuzzyMatch(method.name, query);
      if (!match) return [];
      const barred = method.reserved || (method.bots_only && kind === 'user');
      return [{ method, at: match.at, score: match.score - (barred ? 150 : 0) }];
    })
    .sort((a, b) => b.score - a.score || a.method.name.localeCompare(b.method.name))
    .slice(0, SHOWN);
}

interface MethodBoxProps {
  methods: readonly TdMethod[];
  kind: SessionKind;
  value: string;
  error: string | undefined;
  hint: string | undefined;
  onType: (value: string) => void;
  /** Somebody chose a method, or confirmed the one that stands here. */
  onPick: (name: string) => void;
}

/** The method's name, completed from a few of its letters. */
export function MethodBox({ methods, kind, value, error, hint, onType, onPick }: MethodBoxProps) {
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const listId = useId();
  const found = open ? findMethods(methods, value, kind) : [];
  const current = found[Math.min(active, found.length - 1)];

  const pick = (name: string): void => {
    setOpen(false);
    onPick(name);
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      if (!open) {
        setOpen(true);
        setActive(0);
        return;
      }
      const step = event.key === 'ArrowDown' ? 1 : -1;
      const next = (active + step + found.length) % Math.max(1, found.length);
      setActive(next);
      document.getElementById(`${listId}-${next}`)?.scrollIntoView({ block: 'nearest' });
    } else if (event.key === 'Enter') {
      event.preventDefault();
      const name = current?.method.name ?? value.trim();
      if (name !== '') pick(name);
    } else if (event.key === 'Escape' && open) {
      event.preventDefault();
      setOpen(false);
    }
  };

  return (
    <Field label="Method" error={error} hint={hint}>
      {(wiring) => (
        <div
          className="relative"
          onBlur={(event) => {
            if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
          }}
        >
          <VerbatimInput
            {...wiring}
            role="combobox"
            aria-expanded={found.length > 0}
            aria-controls={listId}
            aria-autocomplete="list"
            {...(current ? { 'aria-activedescendant': `${listId}-${found.indexOf(current)}` } : {})}
            autoFocus
            data-page-search
            value={value}
            onChange={(event) => {
              onType(event.target.value);
              setOpen(event.target.value.trim() !== '');
              setActive(0);
            }}
            onFocus={(event) => event.target.select()}
            onKeyDown={onKeyDown}
            autoCorrect="off"
            placeholder="Type a few letters: sendmes, gchis, getme…"
            className="h-10 font-mono"
          />
          <div
            id={listId}
            role="listbox"
            aria-label="Methods"
            className={cn(
              'absolute inset-x-0 top-full z-20 mt-1 max-h-88 overflow-y-auto rounded-lg border border-line bg-surface p-1 shadow-float',
              found.length === 0 && 'hidden',
            )}
          >
            {found.map(({ method, at }, index) => (
              <MethodOption
                key={method.name}
                id={`${listId}-${index}`}
                method={method}
                at={at}
                kind={kind}
                selected={method === current?.method}
                onPoint={() => setActive(index)}
                onPick={() => pick(method.name)}
              />
            ))}
          </div>
        </div>
      )}
    </Field>
  );
}

interface MethodOptionProps {
  id: string;
  method: TdMethod;
  at: readonly number[];
  kind: SessionKind;
  selected: boolean;
  onPoint: () => void;
  onPick: () => void;
}

function MethodOption({ id, method, at, kind, selected, onPoint, onPick }: MethodOptionProps) {
  return (
    <div
      id={id}
      role="option"
      aria-selected={selected}
      onMouseMove={onPoint}
      // Kept from taking the focus: the input would close the list before the click arrives.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onPick}
      className={cn('cursor-pointer rounded-md px-2.5 py-1.5', selected && 'bg-accent-soft')}
    >
      <div className="flex items-center gap-3">
        <span className="min-w-0 truncate font-mono text-xs font-medium">
          <Lit text={method.name} at={at} />
        </span>
        <span className="ml-auto flex shrink-0 items-center gap-2">
          {method.bots_only && <span className="text-2xs font-medium text-ink-2">bots only</span>}
          <ClassBadge method={method} bare />
        </span>
      </div>
      <p className={cn('truncate text-xs', selected ? 'text-ink' : 'text-ink-2')}>
        {method.reserved
          ? 'Reserved: the gateway does this itself.'
          : method.bots_only && kind === 'user'
            ? `Not for user accounts. ${firstSentence(method.description)}`
            : firstSentence(method.description)}
      </p>
    </div>
  );
}

/** What the method does to the account, or that nobody may call it. */
export function ClassBadge({ method, bare = false }: { method: TdMethod; bare?: boolean }) {
  if (method.reserved) {
    return (
      <Badge bare={bare} tone="bad" icon={Ban} title="The gateway keeps this method for itself: nobody may call it.">
        Reserved
      </Badge>
    );
  }
  const meaning = METHOD_CLASS[method.class];
  return (
    <Badge bare={bare} tone={meaning.tone} icon={meaning.icon} title={meaning.explain}>
      {meaning.word}
    </Badge>
  );
}

/** The letters that were found stand out. */
function Lit({ text, at }: { text: string; at: readonly number[] }) {
  const lit = new Set(at);
  return Array.from(text, (letter, index) =>
    lit.has(index) ? (
      <b key={index} className="font-bold text-accent-ink underline decoration-accent/60 underline-offset-2">
        {letter}
      </b>
    ) : (
      letter
    ),
  );
}
