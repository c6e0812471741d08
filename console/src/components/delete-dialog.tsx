import type { ReactNode } from 'react';
import { toast } from 'sonner';
import { Button } from '@/components/ui/button';
import { ConfirmCancel, ConfirmDialog } from '@/components/ui/dialog';
import { ErrorNote } from '@/components/ui/states';

interface DeleteDialogProps {
  /** What kind of thing it is, such as `proxy`. */
  thing: string;
  /** The thing's own name. */
  name: string;
  pending: boolean;
  error: unknown;
  /** Deletes it, and calls back when it is gone. */
  onDelete: (onSuccess: () => void) => void;
  /** It is gone. */
  onDeleted: () => void;
  onClose: () => void;
  /** More about a refusal. */
  refusal?: ReactNode;
  /** What deleting means, and what stays. */
  children: ReactNode;
}

/** Asks, deletes, and says that it is done or why it is not. */
export function DeleteDialog({
  thing,
  name,
  pending,
  error,
  onDelete,
  onDeleted,
  onClose,
  refusal,
  children,
}: DeleteDialogProps) {
  return (
    <ConfirmDialog
      title={`Delete ${name}?`}
      onClose={onClose}
      actions={
        <>
          <ConfirmCancel asChild>
            <Button>Keep it</Button>
          </ConfirmCancel>
          <Button
            tone="danger"
            pending={pending}
            onClick={() =>
              onDelete(() => {
                onDeleted();
                toast.success(`The ${thing} is deleted.`);
                onClose();
              })
            }
          >
            Delete {thing}
          </Button>
        </>
      }
    >
      {children}
      <ErrorNote error={error} lead={`The ${thing} was not deleted.`}>
        {refusal}
      </ErrorNote>
    </ConfirmDialog>
  );
}
