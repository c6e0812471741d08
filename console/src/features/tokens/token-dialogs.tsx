import { toast } from 'sonner';
import { DeleteDialog } from '@/components/delete-dialog';
import { Dialog } from '@/components/ui/dialog';
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
    <DeleteDialog
      thing="token"
      name={tokenName(token)}
      pending={remove.isPending}
      error={remove.error}
      onDelete={(onSuccess) => remove.mutate({ params: { path: { id: token.id } } }, { onSuccess })}
      onDeleted={() => void refresh.tokens()}
      onClose={onClose}
    >
      <p>
        The token that begins with <code className="font-mono">{token.prefix}</code> is refused from now on, and what
        uses it stops working. It cannot be brought back; to try whether anything still needs it, disable it instead.
      </p>
    </DeleteDialog>
  );
}
