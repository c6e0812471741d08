import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { ConfirmCancel, ConfirmDialog, Dialog, DialogActions } from '@/components/ui/dialog';
import { Field, Input, VerbatimInput } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { useRefresh } from '@/lib/queries';
import type { Pool } from '@/lib/types';

interface JobDialogProps {
  pool: Pool;
  onClose: () => void;
}

function useStart(pool: Pool, onClose: () => void) {
  const refresh = useRefresh();
  const create = $api.useMutation('post', '/v1/pools/{pool}/jobs');
  return {
    pending: create.isPending,
    error: create.error,
    start: (body: Parameters<typeof create.mutate>[0]['body']): void =>
      create.mutate(
        { params: { path: { pool: pool.id } }, body },
        {
          onSuccess: () => {
            void refresh.poolJobs();
            onClose();
          },
        },
      ),
  };
}

/** Begins a check of what is stored. */
export function ScrubDialog({ pool, onClose }: JobDialogProps) {
  const { pending, error, start } = useStart(pool, onClose);
  const [sample, setSample] = useState('5');
  const percent = /^\d{1,3}$/.test(sample) && Number(sample) <= 100 ? Number(sample) : undefined;
  return (
    <Dialog
      title={`Check ${pool.name}`}
      description="Of every message it is seen whether it is there; of some the bytes are read from Telegram and compared."
      onClose={onClose}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          if (percent !== undefined) start({ kind: 'scrub', sample: percent });
        }}
        className="flex flex-col gap-4"
      >
        <Field
          label="Percent of the messages that are read"
          error={percent === undefined ? 'A whole number from 0 to 100.' : undefined}
          hint="All of it takes as long as reading every object."
        >
          {(wiring) => (
            <Input
              {...wiring}
              autoFocus
              inputMode="numeric"
              value={sample}
              onChange={(event) => setSample(event.target.value.trim())}
            />
          )}
        </Field>
        <ErrorNote error={error} lead="It was not begun." />
        <DialogActions>
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" pending={pending} disabled={percent === undefined}>
            Check
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Removes many objects at once; which stands in the name of the pool, typed again. */
export function PurgeDialog({ pool, onClose }: JobDialogProps) {
  const { pending, error, start } = useStart(pool, onClose);
  const [prefix, setPrefix] = useState('');
  const [name, setName] = useState('');
  return (
    <ConfirmDialog
      title={`Remove objects of ${pool.name}?`}
      onClose={onClose}
      actions={
        <>
          <ConfirmCancel asChild>
            <Button>Keep them</Button>
          </ConfirmCancel>
          <Button
            tone="danger"
            pending={pending}
            disabled={name !== pool.name}
            onClick={() => start({ kind: 'purge', ...(prefix === '' ? {} : { prefix }) })}
          >
            Remove them
          </Button>
        </>
      }
    >
      <p>They cannot be brought back. Those that are put from now on stay.</p>
      <Field
        label="Only of this folder"
        hint="A beginning of keys, such as images/. Empty: every object of every bucket."
      >
        {(wiring) => <VerbatimInput {...wiring} value={prefix} onChange={(event) => setPrefix(event.target.value)} />}
      </Field>
      <Field label={`The pool's name, ${pool.name}, to be sure`}>
        {(wiring) => <VerbatimInput {...wiring} value={name} onChange={(event) => setName(event.target.value)} />}
      </Field>
      <ErrorNote error={error} lead="Nothing was begun." />
    </ConfirmDialog>
  );
}
