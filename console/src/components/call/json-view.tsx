import { cn } from '@/lib/cn';

const TOKEN = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** JSON, indented by two; nothing is written as null. */
export function toText(value: unknown): string {
  return JSON.stringify(value ?? null, null, 2);
}

/** JSON, indented and with its parts told apart; long answers scroll in both directions. */
export function JsonView({ value, label, className }: { value: unknown; label: string; className?: string }) {
  const text = toText(value);
  return (
    <pre
      tabIndex={0}
      role="region"
      aria-label={label}
      className={cn(
        'max-h-[32rem] overflow-auto rounded-lg border border-line bg-sunken p-3 font-mono text-xs leading-5',
        className,
      )}
    >
      {paint(text)}
    </pre>
  );
}

function paint(text: string) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, string, colon, word] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    const tone =
      string !== undefined
        ? colon !== undefined
          ? 'text-accent-ink'
          : 'text-ok'
        : word !== undefined
          ? 'text-wait'
          : 'text-info';
    parts.push(
      <span key={match.index} className={tone}>
        {string ?? whole}
      </span>,
    );
    if (colon !== undefined) parts.push(colon);
    end = match.index + whole.length;
  }
  parts.push(text.slice(end));
  return parts;
}
