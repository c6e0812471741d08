import { X } from 'lucide-react';
import { AlertDialog as Alert, Dialog as Radix } from 'radix-ui';
import type { ReactNode } from 'react';
import { cn } from '@/lib/cn';
import { useFocusReturn } from './focus-return';

const overlay = 'fixed inset-0 z-40 bg-shade animate-fade';
const panel =
  'fixed z-50 flex max-h-[92dvh] w-full flex-col bg-surface text-ink shadow-float outline-none inset-x-0 bottom-0 rounded-t-xl animate-slide sm:inset-x-auto sm:bottom-auto sm:top-[8dvh] sm:left-1/2 sm:max-h-[84dvh] sm:-translate-x-1/2 sm:rounded-xl sm:animate-rise';

interface DialogProps {
  title: string;
  description?: ReactNode;
  onClose: () => void;
  children: ReactNode;
  /** Keeps a stray click beside the dialog from throwing away what was typed. */
  keepOnOutsideClick?: boolean;
  /** For what is shown once: neither Esc nor a click beside closes it, and there is no cross; only its own buttons do. */
  keepUntilAnswered?: boolean;
  className?: string;
}

/** A modal dialog; a sheet from below on a phone. Focus stays inside, Esc closes, focus goes back to where it was. */
export function Dialog({
  title,
  description,
  onClose,
  children,
  keepOnOutsideClick = true,
  keepUntilAnswered = false,
  className,
}: DialogProps) {
  const returnFocus = useFocusReturn();
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className={overlay} />
        <Radix.Content
          className={cn(panel, 'sm:max-w-lg', className)}
          onCloseAutoFocus={returnFocus}
          onPointerDownOutside={(event) => (keepOnOutsideClick || keepUntilAnswered) && event.preventDefault()}
          onEscapeKeyDown={(event) => keepUntilAnswered && event.preventDefault()}
          {...(description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <header className="flex items-start gap-4 border-b border-line px-5 pt-4 pb-3.5">
            <div className="min-w-0 flex-1">
              <Radix.Title className="text-lg font-semibold tracking-tight">{title}</Radix.Title>
              {description !== undefined && (
                <Radix.Description asChild>
                  <div className="mt-0.5 text-sm text-ink-2">{description}</div>
                </Radix.Description>
              )}
            </div>
            {!keepUntilAnswered && (
              <Radix.Close
                aria-label="Close"
                className="-mr-1.5 grid size-8 place-items-center rounded-md text-ink-3 hover:bg-sunken hover:text-ink"
              >
                <X aria-hidden className="size-4" />
              </Radix.Close>
            )}
          </header>
          <div className="min-h-0 flex-1 overflow-y-auto px-5 py-4">{children}</div>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

/** The row of acts at the end of a dialog's form, the main one last. */
export function DialogActions({ children }: { children: ReactNode }) {
  return <div className="mt-6 flex flex-col-reverse gap-2 sm:flex-row sm:items-center sm:justify-end">{children}</div>;
}

interface ConfirmDialogProps {
  title: string;
  /** Names the thing, what goes and what stays. */
  children: ReactNode;
  onClose: () => void;
  actions: ReactNode;
}

/** A question before something is destroyed; only an answer closes it. */
export function ConfirmDialog({ title, children, onClose, actions }: ConfirmDialogProps) {
  const returnFocus = useFocusReturn();
  return (
    <Alert.Root open onOpenChange={(open) => !open && onClose()}>
      <Alert.Portal>
        <Alert.Overlay className={overlay} />
        <Alert.Content onCloseAutoFocus={returnFocus} className={cn(panel, 'overflow-y-auto px-5 py-5 sm:max-w-md')}>
          <Alert.Title className="text-lg font-semibold tracking-tight">{title}</Alert.Title>
          <Alert.Description asChild>
            <div className="mt-2 flex flex-col gap-3 text-sm text-ink-2">{children}</div>
          </Alert.Description>
          <DialogActions>{actions}</DialogActions>
        </Alert.Content>
      </Alert.Portal>
    </Alert.Root>
  );
}

/** The "no" of a {@link ConfirmDialog}; it has the focus when the question opens. */
export const ConfirmCancel = Alert.Cancel;
