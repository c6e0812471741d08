import { KeyRound, Plus } from 'lucide-react';
import { useState } from 'react';
import { DeleteDialog } from '@/components/delete-dialog';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy';
import { Dialog } from '@/components/ui/dialog';
import { RelativeTime } from '@/components/ui/relative-time';
import { EmptyState, ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { useRefresh } from '@/lib/queries';
import type { AccessKey, Token } from '@/lib/types';
import { showKey } from './shown-key';
import { tokenName } from './token-scope';

/** The access keys of S3 that a token has. */
export function AccessKeysDialog({ token, onClose }: { token: Token; onClose: () => void }) {
  const refresh = useRefresh();
  const create = $api.useMutation('post', '/v1/tokens/{id}/s3-keys');
  const [deleting, setDeleting] = useState<AccessKey>();
  const make = (): void =>
    create.mutate(
      { params: { path: { id: token.id } } },
      {
        onSuccess: ({ result: { access_key_id: id, secret_access_key: secret, s3_port: port } }) => {
          void refresh.accessKeys();
          onClose();
          showKey({ id, secret, port });
        },
      },
    );
  if (deleting) return <DeleteKeyDialog token={token} accessKey={deleting} onClose={() => setDeleting(undefined)} />;
  return (
    <Dialog
      title={`S3 access keys of ${tokenName(token)}`}
      description="For programs that speak S3. A key may do with buckets what the token may do with its pools."
      onClose={onClose}
      keepOnOutsideClick={false}
    >
      {token.pool_ids.length === 0 && (
        <p className="mb-4 rounded-lg bg-wait-soft px-3.5 py-3 text-sm text-wait">
          The token reaches no pool yet, and so would its keys: name the pools when you edit it.
        </p>
      )}
      <div className="rounded-lg border border-line">
        <KeyList token={token} onDelete={setDeleting} />
      </div>
      <ErrorNote className="mt-4" error={create.error} lead="No key was made." />
      <div className="mt-4">
        <Button tone="primary" pending={create.isPending} onClick={make}>
          {!create.isPending && <Plus aria-hidden />}
          Make a key
        </Button>
      </div>
    </Dialog>
  );
}

function KeyList({ token, onDelete }: { token: Token; onDelete: (key: AccessKey) => void }) {
  const keys = $api.useQuery(
    'get',
    '/v1/tokens/{id}/s3-keys',
    { params: { path: { id: token.id } } },
    { select: ({ result }) => result },
  );
  if (keys.isPending) return <LoadingRows what="keys" rows={1} />;
  if (keys.isLoadingError) return <LoadFailed what="keys" error={keys.error} onRetry={keys.refetch} />;
  if (keys.data.length === 0) {
    return (
      <EmptyState icon={KeyRound} title="No keys yet">
        Give each program its own, so that one can be revoked without the others.
      </EmptyState>
    );
  }
  return (
    <ul aria-label="Access keys" className="divide-y divide-line">
      {keys.data.map((key) => (
        <li key={key.access_key_id} className="flex items-center gap-3 px-3.5 py-2">
          <div className="min-w-0 flex-1">
            <p className="flex items-center gap-1">
              <code className="min-w-0 truncate font-mono text-xs">{key.access_key_id}</code>
              <CopyButton text={key.access_key_id} what="access key id" />
            </p>
            <p className="text-xs text-ink-3">
              made <RelativeTime at={key.created_at} />
            </p>
          </div>
          <Button size="sm" aria-label={`Delete ${key.access_key_id}`} onClick={() => onDelete(key)}>
            Delete
          </Button>
        </li>
      ))}
    </ul>
  );
}

interface DeleteKeyDialogProps {
  token: Token;
  accessKey: AccessKey;
  onClose: () => void;
}

function DeleteKeyDialog({ token, accessKey: { access_key_id: key }, onClose }: DeleteKeyDialogProps) {
  const refresh = useRefresh();
  const remove = $api.useMutation('delete', '/v1/tokens/{id}/s3-keys/{key}');
  return (
    <DeleteDialog
      thing="access key"
      name={key}
      pending={remove.isPending}
      error={remove.error}
      onDelete={(onSuccess) => remove.mutate({ params: { path: { id: token.id, key } } }, { onSuccess })}
      onDeleted={() => void refresh.accessKeys()}
      onClose={onClose}
    >
      <p>
        Within a second, programs that use it are refused, and what they have signed for others is of no use any more.
        The token and its other keys stay.
      </p>
    </DeleteDialog>
  );
}
