'use client';

import { useRouter } from 'next/navigation';
import { useState } from 'react';
import { toast } from 'sonner';
import { DeleteDialog } from '@/components/delete-dialog';
import { Button } from '@/components/ui/button';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { Field, Input } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { formatBytes } from '@/lib/bytes';
import { poolHref, useOverlays } from '@/lib/overlays';
import { useRefresh } from '@/lib/queries';
import type { Pool } from '@/lib/types';
import { readChatIds } from '@/lib/words';
import { BotChoices, PoolForm } from './pool-form';
import { UnfitBots } from './unfit-bots';

/** Makes a pool; opened from anywhere by the address. */
export function NewPoolDialog() {
  const { creating, close } = useOverlays();
  if (creating !== 'pool') return null;
  return (
    <Dialog
      title="Make a bot pool"
      description="Bots that store objects of any size in the messages of a chat, each sending one at a time."
      onClose={close}
      className="sm:max-w-xl"
    >
      <NewPoolForm onClose={close} />
    </Dialog>
  );
}

function NewPoolForm({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh();
  const router = useRouter();
  const create = $api.useMutation('post', '/v1/pools');
  return (
    <PoolForm
      action="Make the pool"
      lead="The pool was not made."
      pending={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={(settings, parts, refuse) =>
        create.mutate(
          { body: { ...settings, ...parts } },
          {
            onSuccess: ({ result }) => {
              void refresh.pools();
              toast.success('The pool is made.');
              router.push(poolHref(result));
            },
            onError: refuse,
          },
        )
      }
    />
  );
}

interface PoolDialogProps {
  pool: Pool;
  onClose: () => void;
}

/** Changes a pool's name and how it sends. */
export function EditPoolDialog({ pool, onClose }: PoolDialogProps) {
  const refresh = useRefresh();
  const update = $api.useMutation('patch', '/v1/pools/{pool}');
  return (
    <Dialog
      title={`Edit ${pool.name}`}
      description="New messages follow at once; what is stored stays as it is."
      onClose={onClose}
      className="sm:max-w-xl"
    >
      <PoolForm
        pool={pool}
        action="Save"
        lead="The pool was not changed."
        pending={update.isPending}
        error={update.error}
        onClose={onClose}
        onSubmit={(settings, _, refuse) =>
          update.mutate(
            { params: { path: { pool: pool.id } }, body: settings },
            {
              onSuccess: () => {
                void refresh.pools();
                toast.success('The pool is changed.');
                onClose();
              },
              onError: refuse,
            },
          )
        }
      />
    </Dialog>
  );
}

interface DeletePoolDialogProps extends PoolDialogProps {
  onDeleted?: () => void;
}

/** Asks, and removes a pool; one with objects only with a word of its own that they are forgotten. */
export function DeletePoolDialog({ pool, onClose, onDeleted }: DeletePoolDialogProps) {
  const refresh = useRefresh();
  const remove = $api.useMutation('delete', '/v1/pools/{pool}');
  const [detach, setDetach] = useState(false);
  return (
    <DeleteDialog
      thing="pool"
      name={pool.name}
      pending={remove.isPending}
      error={remove.error}
      onDelete={(onSuccess) =>
        remove.mutate(
          { params: { path: { pool: pool.id }, query: detach ? { mode: 'detach' } : {} } },
          { onSuccess: () => onSuccess() },
        )
      }
      onDeleted={() => {
        void refresh.pools();
        onDeleted?.();
      }}
      onClose={onClose}
    >
      <p>Its bots stay signed in, and are free for another pool.</p>
      {pool.objects > 0 && (
        <>
          <p>
            It keeps {pool.objects} {pool.objects === 1 ? 'object' : 'objects'} ({formatBytes(pool.bytes)}). Their bytes
            stay in the chat, but nothing knows any more which message belongs to what: this cannot be undone.
          </p>
          <label className="flex items-start gap-2.5 text-ink">
            <input
              type="checkbox"
              checked={detach}
              onChange={(event) => setDetach(event.target.checked)}
              className="mt-0.5 size-4 shrink-0 accent-accent"
            />
            Forget the objects
          </label>
        </>
      )}
    </DeleteDialog>
  );
}

/** Adds a bot; several at once go one after the other, and those that were refused stay chosen. */
export function AddBotsDialog({ pool, onClose }: PoolDialogProps) {
  const refresh = useRefresh();
  const add = $api.useMutation('post', '/v1/pools/{pool}/bots');
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const submit = async (): Promise<void> => {
    const left = new Set(chosen);
    try {
      for (const id of chosen) {
        await add.mutateAsync({ params: { path: { pool: pool.id } }, body: { session_id: id } });
        left.delete(id);
      }
      toast.success(chosen.size === 1 ? 'The bot is in the pool.' : `${chosen.size} bots are in the pool.`);
      onClose();
    } catch {
      setChosen(left); // What went wrong is shown from the mutation.
    } finally {
      void refresh.pools();
    }
  };
  return (
    <Dialog title={`Add bots to ${pool.name}`} onClose={onClose}>
      <BotChoices chosen={chosen} onChange={setChosen} />
      <ErrorNote className="mt-4" error={add.error} lead="Not every bot was added." />
      <DialogActions>
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button tone="primary" pending={add.isPending} disabled={chosen.size === 0} onClick={() => void submit()}>
          Add
        </Button>
      </DialogActions>
    </Dialog>
  );
}

/** Stores new messages in another chat; those before stay where they are and can be read. */
export function AddChatDialog({ pool, onClose }: PoolDialogProps) {
  const refresh = useRefresh();
  const add = $api.useMutation('post', '/v1/pools/{pool}/chats');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState<string>();
  const submit = (): void => {
    const { chats, problem: wrong } = readChatIds(text);
    const [chat] = chats;
    setProblem(wrong ?? (chats.length === 1 ? undefined : 'The id of one channel or supergroup is needed.'));
    if (wrong !== undefined || chat === undefined || chats.length > 1) return;
    add.mutate(
      { params: { path: { pool: pool.id } }, body: { chat_id: chat } },
      {
        onSuccess: () => {
          void refresh.pools();
          toast.success('New messages go to the other chat.');
          onClose();
        },
        onError: (thrown) => setProblem(ApiError.from(thrown).issues[0]?.message),
      },
    );
  };
  return (
    <Dialog
      title="Store in another chat"
      description="From now on. What is stored stays in the chats before, and is read from there."
      onClose={onClose}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field label="Chat" error={problem} hint="The bots of the pool must be its administrators.">
          {(wiring) => (
            <Input
              {...wiring}
              autoFocus
              autoComplete="off"
              value={text}
              onChange={(event) => setText(event.target.value)}
              placeholder="-1001234567890"
            />
          )}
        </Field>
        <ErrorNote
          className="mt-4"
          error={problem === undefined ? add.error : undefined}
          lead="The chat stays as it is."
        >
          <UnfitBots error={add.error} />
        </ErrorNote>
        <DialogActions>
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" pending={add.isPending}>
            Store there
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
