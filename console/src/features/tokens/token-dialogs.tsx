import { toast } from 'sonner';
import { Button } from '@/components/ui/button';
import { ConfirmCancel, ConfirmDialog, Dialog } from '@/components/ui/dialog';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { useRefresh } from '@/lib/queries';
import type { Token } from '@/lib/types';
import { TokenForm } from './token-form';
import { tokenName } from './token-scope';

/** Changes a token's label and scope; the token itself stays the same. */
export function EditTokenDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const refresh = useRefresh();
  const update = $api.useMutation('patch', '/v1/tokens/{id}');
  return (
    <Dialog
      title={`Edit ${tokenName(token)}`}
      description="The token stays the same; what it reaches changes at once."
      onClose={onClose}
    >
      <TokenForm
        token={token}
        action="Save"
        lead="The token was not changed."
        pending={update.isPending}
        error={update.error}
        onClose={onClose}
        onSubmit={(values) =>
          update.mutate(
            {
              params: { path: { id: token.id } },
              body: {
                name: values.name,
                all_sessions: values.all_sessions,
                app_ids: [...values.app_ids],
                session_ids: [...values.session_ids],
              },
            },
            {
              onSuccess: () => {
                void refresh.tokens();
                toast.success('The token is changed.');
                onClose();
              },
            },
          )
        }
      />
    </Dialog>
  );
}

/** Asks, then revokes a token for good. */
export function DeleteTokenDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const refresh = useRefresh();
  const remove = $api.useMutation('delete', '/v1/tokens/{id}');
  return (
    <ConfirmDialog
      title={`Delete ${tokenName(token)}?`}
      onClose={onClose}
      actions={
        <>
          <ConfirmCancel asChild>
            <Button>Keep it</Button>
          </ConfirmCancel>
          <Button
            tone="danger"
            pending={remove.isPending}
            onClick={() =>
              remove.mutate(
                { params: { path: { id: token.id } } },
                {
                  onSuccess: () => {
                    void refresh.tokens();
                    toast.success('The token is deleted.');
                    onClose();
                  },
                },
              )
            }
          >
            Delete token
          </Button>
        </>
      }
    >
      <p>
        The token that begins with <code className="font-mono">{token.prefix}</code> is refused from now on, and what
        uses it stops working. It cannot be brought back; to try whether anything still needs it, disable it instead.
      </p>
      <ErrorNote error={remove.error} lead="The token was not deleted." />
    </ConfirmDialog>
  );
}
