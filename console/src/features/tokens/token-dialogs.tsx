import { useState } from 'react';
import { toast } from 'sonner';
import { DeleteDialog } from '@/components/delete-dialog';
import { Button } from '@/components/ui/button';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { RadioCard } from '@/components/ui/radio-card';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { useRefresh } from '@/lib/queries';
import type { Token } from '@/lib/types';
import { showToken } from './shown-token';
import { TokenForm } from './token-form';
import { tokenName } from './token-scope';

/** Changes a token's label, scope and rights; the token itself stays the same. */
export function EditTokenDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const refresh = useRefresh();
  const update = $api.useMutation('patch', '/v1/tokens/{id}');
  return (
    <Dialog
      title={`Edit ${tokenName(token)}`}
      description="The token stays the same; what it may do changes at once."
      onClose={onClose}
      className="sm:max-w-xl"
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
                classes: [...values.classes],
                methods: values.methods && [...values.methods],
                chats: values.chats && [...values.chats],
                ...(values.expires_at === undefined ? {} : { expires_at: values.expires_at }),
                pool_ids: [...values.pool_ids],
                pool_access: values.pool_access,
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

const OVERLAPS = [
  { value: '24h', label: 'For a day', hint: 'Programs have until tomorrow to take the new one.' },
  { value: '7d', label: 'For a week', hint: 'For programs that are changed by hand, here and there.' },
  { value: '0s', label: 'Not at all', hint: 'It ends now. For a secret that somebody else has seen.' },
] as const;
type Overlap = (typeof OVERLAPS)[number]['value'];

/** Replaces a token's secret; the new one is then shown once. */
export function RotateTokenDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const refresh = useRefresh();
  const rotate = $api.useMutation('post', '/v1/tokens/{id}/rotate');
  const [overlap, setOverlap] = useState<Overlap>('24h');
  const submit = (): void =>
    rotate.mutate(
      { params: { path: { id: token.id } }, body: { overlap } },
      {
        onSuccess: ({ result }) => {
          void refresh.tokens();
          onClose();
          showToken({
            secret: result.token,
            reach: token,
            mayRead: token.classes.includes('read') && (token.methods?.includes('getMe') ?? true),
            ...(overlap === '0s' ? {} : { formerUntil: result.former_secrets_until }),
          });
        },
      },
    );
  return (
    <Dialog
      title={`Rotate ${tokenName(token)}`}
      description="It gets another secret. Its rights, uploads and subscriptions stay."
      onClose={onClose}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-1.5 text-sm font-medium">How long the secret of now goes on to work</legend>
        {OVERLAPS.map(({ value, label, hint }) => (
          <RadioCard
            key={value}
            name="overlap"
            label={label}
            hint={hint}
            checked={overlap === value}
            onChoose={() => setOverlap(value)}
          />
        ))}
      </fieldset>
      <ErrorNote className="mt-4" error={rotate.error} lead="The secret was not replaced." />
      <DialogActions>
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button tone="primary" pending={rotate.isPending} onClick={submit}>
          Make a new secret
        </Button>
      </DialogActions>
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
