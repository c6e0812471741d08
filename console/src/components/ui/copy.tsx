import { Check, Copy, type LucideIcon } from 'lucide-react';
import { useRef, useState } from 'react';
import { toast } from 'sonner';
import { cn } from '@/lib/cn';
import { Button } from './button';

const SHOWN_MS = 1_500;

/** Copies, and shows for a moment that it did. `copy` answers whether the browser allowed it, and says so when not. */
export function useCopy(): { copied: boolean; copy: (text: string) => Promise<boolean> } {
  const [copied, setCopied] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  return {
    copied,
    copy: async (text) => {
      try {
        await navigator.clipboard.writeText(text);
      } catch {
        // Pages served over plain HTTP from another host have no clipboard.
        toast.error('The browser does not allow copying here. Select the text and copy it by hand.');
        return false;
      }
      setCopied(true);
      clearTimeout(timer.current);
      timer.current = setTimeout(() => setCopied(false), SHOWN_MS);
      return true;
    },
  };
}

interface CopyButtonProps {
  text: string;
  /** What is copied, for the button's name: "session id". */
  what: string;
  className?: string;
}

/** A small button that copies `text`. */
export function CopyButton({ text, what, className }: CopyButtonProps) {
  const { copied, copy } = useCopy();
  return (
    <button
      type="button"
      aria-label={copied ? `Copied ${what}` : `Copy ${what}`}
      title={copied ? 'Copied' : `Copy ${what}`}
      onClick={(event) => {
        event.stopPropagation();
        void copy(text);
      }}
      className={cn(
        'relative z-10 inline-grid size-6 shrink-0 place-items-center rounded text-ink-3 hover:bg-sunken hover:text-ink',
        className,
      )}
    >
      {copied ? <Check aria-hidden className="size-3.5 text-ok" /> : <Copy aria-hidden className="size-3.5" />}
    </button>
  );
}

interface CopyTextButtonProps {
  /** Made when the button is pressed. */
  text: () => string;
  /** On the button: "Copy as curl". */
  children: string;
  icon?: LucideIcon;
  tone?: 'plain' | 'quiet' | 'primary';
  size?: 'sm' | 'md';
  /** After a copy that worked. */
  onCopied?: () => void;
}

/** A button that says what it copies, and for a moment that it did. */
export function CopyTextButton({
  text,
  children,
  icon: Icon = Copy,
  tone = 'plain',
  size = 'md',
  onCopied,
}: CopyTextButtonProps) {
  const { copied, copy } = useCopy();
  return (
    <Button tone={tone} size={size} onClick={() => void copy(text()).then((done) => done && onCopied?.())}>
      {copied ? <Check aria-hidden className={tone === 'primary' ? '' : 'text-ok'} /> : <Icon aria-hidden />}
      {copied ? 'Copied' : children}
    </Button>
  );
}

interface CopyableIdProps {
  id: string;
  what: string;
  /** How many characters are shown; the whole id is in the title and in the copy. */
  shown?: number;
}

/** An id in mono with its copy button. */
export function CopyableId({ id, what, shown = 8 }: CopyableIdProps) {
  return (
    <span className="inline-flex items-center gap-0.5">
      <code title={id} className="font-mono text-xs text-ink-3">
        {id.length > shown ? id.slice(0, shown) : id}
      </code>
      <CopyButton text={id} what={what} />
    </span>
  );
}
