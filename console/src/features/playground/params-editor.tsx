import { useId, useLayoutEffect, useRef, useState, type KeyboardEvent } from 'react';
import { Field, TextArea } from '@/components/ui/field';
import { cn } from '@/lib/cn';
import type { TdMethod } from '@/lib/types';
import { complete, type Suggestion } from './td/complete';
import type { TdIndex } from './td/schema';
import type { ParamsIssue } from './td/validate';

/** The text of the params; `select`, a new object for each change other than typing, is what is to be selected then. */
export interface ParamsDraft {
  readonly text: string;
  readonly select?: { readonly from: number; readonly to: number };
}

/** As the classes below set them, in pixels: where a line begins, and how high it is. */
const PADDING = 8;
const LINE = 20;
/** So many suggestions are in sight at once, around the active one: a list that scrolls would need a focus of its own. */
const WINDOW = 8;
const MOVES = new Set(['ArrowUp', 'ArrowDown', 'ArrowLeft', 'ArrowRight', 'Home', 'End', 'PageUp', 'PageDown']);
const MIN_ROWS = 7;
const MAX_ROWS = 20;

interface ParamsEditorProps {
  index: TdIndex;
  method: TdMethod | undefined;
  draft: ParamsDraft;
  issues: readonly ParamsIssue[];
  onChange: (draft: ParamsDraft) => void;
}

/** The params as JSON, with names and types completed from the td_api. */
export function ParamsEditor({ index, method, draft, issues, onChange }: ParamsEditorProps) {
  const { text, select } = draft;
  const area = useRef<HTMLTextAreaElement>(null);
  const [cursor, setCursor] = useState(0);
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(0);
  const [scroll, setScroll] = useState({ top: 0, left: 0 });
  const listId = useId();
  const suggestions = open ? complete(index, method, text, cursor) : [];
  const current = suggestions[Math.min(active, suggestions.length - 1)];
  const start = Math.max(0, Math.min(active - WINDOW / 2, suggestions.length - WINDOW));

  // A change other than typing: the suggestions follow to where it puts the cursor.
  const [seen, setSeen] = useState(select);
  if (seen !== select) {
    setSeen(select);
    if (select) {
      setCursor(select.to);
      setActive(0);
      // Between the two quotes of an @type there is always something to choose.
      setOpen(select.from === select.to && text.charAt(select.from - 1) === '"');
    }
  }
  useLayoutEffect(() => {
    if (!select) return;
    area.current?.focus();
    area.current?.setSelectionRange(select.from, select.to);
  }, [select]);

  const accept = (suggestion: Suggestion): void => {
    setOpen(false);
    onChange({
      text: text.slice(0, suggestion.from) + suggestion.insert + text.slice(suggestion.to),
      select: { from: suggestion.selectFrom, to: suggestion.selectTo },
    });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    if ((event.ctrlKey || event.metaKey) && event.key === ' ') {
      event.preventDefault();
      setCursor(event.currentTarget.selectionStart);
      setActive(0);
      setOpen(true);
      return;
    }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (!current) {
      // Walking through the text is no typing: nothing is suggested on the way.
      if (MOVES.has(event.key)) setOpen(false);
      return;
    }
    if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
      event.preventDefault();
      const step = event.key === 'ArrowDown' ? 1 : -1;
      const next = (active + step + suggestions.length) % suggestions.length;
      setActive(next);
    } else if (event.key === 'Enter' || (event.key === 'Tab' && !event.shiftKey)) {
      event.preventDefault();
      accept(current);
    } else if (event.key === 'Escape') {
      event.preventDefault();
      setOpen(false);
    } else if (MOVES.has(event.key)) {
      setOpen(false);
    }
  };

  const before = text.slice(0, current?.from ?? cursor).split('\n');
  const [first] = issues;
  const rows = Math.min(MAX_ROWS, Math.max(MIN_ROWS, text.split('\n').length + 1));
  return (
    <Field
      label="Params"
      optional
      error={first?.severity === 'error' ? first.message : undefined}
      hint={
        first?.severity === 'warning' ? (
          <span className="text-wait">{first.message}</span>
        ) : (
          <>
            <kbd className="font-sans font-medium">Ctrl Space</kbd> completes names and types.{' '}
            <code className="font-mono">chat_id</code> also takes <code className="font-mono">&quot;@name&quot;</code>{' '}
            or a t.me link.
          </>
        )
      }
    >
      {(wiring) => (
        <div
          className="relative"
          onBlur={(event) => {
            if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
          }}
        >
          <TextArea
            {...wiring}
            ref={area}
            aria-autocomplete="list"
            aria-controls={listId}
            {...(current ? { 'aria-activedescendant': `${listId}-${suggestions.indexOf(current)}` } : {})}
            rows={rows}
            wrap="off"
            value={text}
            onChange={(event) => {
              const { value, selectionStart } = event.target;
              onChange({ text: value });
              setCursor(selectionStart);
              setActive(0);
              // A new line or a bracket is no beginning of a name, so Enter stays a new line there.
              setOpen(value.length !== text.length && /["@\w]/.test(value.charAt(selectionStart - 1)));
            }}
            onSelect={(event) => setCursor(event.currentTarget.selectionStart)}
            onScroll={(event) =>
              setScroll({ top: event.currentTarget.scrollTop, left: event.currentTarget.scrollLeft })
            }
            onKeyDown={onKeyDown}
            onMouseDown={() => setOpen(false)}
            spellCheck={false}
            autoCapitalize="off"
            autoCorrect="off"
            placeholder={method?.parameters.length === 0 ? 'This method takes none.' : '{ }'}
            className="resize-y overflow-auto font-mono text-xs leading-5 sm:text-xs"
          />
          <p role="status" className="sr-only">
            {suggestions.length > 0 && `${suggestions.length} suggestions`}
          </p>
          <div
            id={listId}
            role="listbox"
            aria-label="Suggestions"
            // In the editor's own font, so that a column is 1ch wide.
            style={{
              top: PADDING + before.length * LINE - scroll.top + 2,
              left: `clamp(0px, calc(0.75rem + ${(before.at(-1) ?? '').length}ch - ${scroll.left}px), calc(100% - 20rem))`,
            }}
            className={cn(
              'absolute z-20 w-80 max-w-full rounded-lg border border-line bg-surface p-1 font-mono text-xs shadow-float',
              suggestions.length === 0 && 'hidden',
            )}
          >
            {suggestions.slice(start, start + WINDOW).map((suggestion, position) => (
              <div
                key={suggestion.label}
                id={`${listId}-${start + position}`}
                role="option"
                aria-setsize={suggestions.length}
                aria-posinset={start + position + 1}
                aria-selected={suggestion === current}
                onMouseMove={() => setActive(start + position)}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => accept(suggestion)}
                className={cn('cursor-pointer rounded px-2 py-1', suggestion === current && 'bg-accent-soft')}
              >
                <span className="flex items-baseline gap-2">
                  <span className="truncate font-medium">{suggestion.label}</span>
                  <span className="ml-auto truncate text-2xs text-ink-2">{suggestion.detail}</span>
                </span>
                {suggestion.doc !== '' && (
                  <span className="block truncate font-sans text-2xs text-ink-2">{suggestion.doc}</span>
                )}
              </div>
            ))}
          </div>
        </div>
      )}
    </Field>
  );
}
