import { Eye, EyeOff } from 'lucide-react';
import { useId, useState, type ComponentProps, type ReactNode } from 'react';
import { cn } from '@/lib/cn';

interface FieldProps {
  label: string;
  /** One sentence under the input: what it is for or where it comes from. */
  hint?: ReactNode;
  /** What is wrong with the value; shown beside the input and read out with it. */
  error?: string | undefined;
  optional?: boolean;
  className?: string;
  children: (wiring: { id: string; 'aria-describedby': string | undefined; 'aria-invalid': boolean }) => ReactNode;
}

/** A labelled input with its hint and its error, tied together for assistive technology. */
export function Field({ label, hint, error, optional = false, className, children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  const errorId = `${id}-error`;
  const describedBy = [error !== undefined ? errorId : undefined, hint !== undefined ? hintId : undefined]
    .filter((part) => part !== undefined)
    .join(' ');
  return (
    <div className={cn('flex flex-col gap-1.5', className)}>
      <label htmlFor={id} className="text-sm font-medium text-ink">
        {label}
        {/* A real space, so that the two words are also read as two. */}
        {optional && <span className="font-normal text-ink-3"> optional</span>}
      </label>
      {children({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': error !== undefined })}
      {error !== undefined && (
        <p id={errorId} className="text-xs font-medium text-bad">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={hintId} className="text-xs text-ink-3">
          {hint}
        </p>
      )}
    </div>
  );
}

const control =
  'w-full rounded-md border border-line-strong/70 bg-surface text-base text-ink sm:text-sm placeholder:text-ink-3 hover:border-line-strong focus-visible:outline-offset-0 disabled:bg-sunken disabled:text-ink-3 aria-invalid:border-bad';

/** A single-line input. */
export function Input({ className, ...rest }: ComponentProps<'input'>) {
  return <input className={cn(control, 'h-9 px-3', className)} {...rest} />;
}

/** A single-line input for what is no prose, such as names and keys: nothing is completed, capitalised or corrected. */
export function VerbatimInput(props: ComponentProps<'input'>) {
  return <Input autoComplete="off" autoCapitalize="off" spellCheck={false} {...props} />;
}

/** An input for a secret: masked, kept out of password managers' "save" offers, and shown only while asked for. */
export function SecretInput({ className, ...rest }: Omit<ComponentProps<'input'>, 'type'>) {
  const [shown, setShown] = useState(false);
  return (
    <div className="relative">
      <input
        type={shown ? 'text' : 'password'}
        autoComplete="off"
        autoCapitalize="off"
        autoCorrect="off"
        spellCheck={false}
        className={cn(control, 'h-9 pr-10 pl-3 font-mono', className)}
        {...rest}
      />
      <button
        type="button"
        aria-label={shown ? 'Hide what is typed' : 'Show what is typed'}
        aria-pressed={shown}
        onClick={() => setShown(!shown)}
        className="absolute inset-y-0 right-0 grid w-9 place-items-center rounded-md text-ink-3 hover:text-ink"
      >
        {shown ? <EyeOff aria-hidden className="size-4" /> : <Eye aria-hidden className="size-4" />}
      </button>
    </div>
  );
}

/** A list of choices. The browser's own control: it works with every keyboard, screen reader and phone. */
export function Select({ className, ...rest }: ComponentProps<'select'>) {
  return <select className={cn(control, 'h-9 px-2.5', className)} {...rest} />;
}

/** A multi-line input. */
export function TextArea({ className, ...rest }: ComponentProps<'textarea'>) {
  return <textarea className={cn(control, 'px-3 py-2 leading-5', className)} {...rest} />;
}
