import { useState } from 'react';
import { toast } from 'sonner';
import { Button } from '@/components/ui/button';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { Field, Select } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { useRefresh } from '@/lib/queries';
import type { SessionRef } from '@/lib/td';
import type { Subscription } from '@/lib/types';

const HOUR_MS = 3_600_000;
const SINCE: readonly { readonly label: string; readonly hours: number }[] = [
  { label: 'the last hour', hours: 1 },
  { label: 'the last 6 hours', hours: 6 },
  { label: 'the last 24 hours', hours: 24 },
];

interface RecoverDialogProps {
  session: SessionRef;
  subscription: Subscription;
  onClose: () => void;
}

/** Puts everything that was given up since some time in line again. */
export function RecoverDialog({ session, subscription, onClose }: RecoverDialogProps) {
  const [hours, setHours] = useState(24);
  const refresh = useRefresh();
  const recover = $api.useMutation('post', '/v1/{kind}/{id}/updates/subscriptions/{sub}/recover');
  const submit = (): void =>
    recover.mutate(
      {
        params: { path: { kind: session.kind, id: session.id, sub: subscription.id } },
        body: { since: new Date(Date.now() - hours * HOUR_MS).toISOString() },
      },
      {
        onSuccess: ({ result: { requeued } }) => {
          void refresh.subscriptions();
          toast.success(requeued === 1 ? '1 delivery is tried again.' : `${requeued} deliveries are tried again.`);
          onClose();
        },
      },
    );
  return (
    <Dialog
      title="Recover what was given up"
      description="Each is tried again from its first attempt on, under the same delivery id. What was delivered is not sent again."
      onClose={onClose}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <Field label="Given up within">
          {(wiring) => (
            <Select {...wiring} value={hours} onChange={(event) => setHours(Number(event.target.value))}>
              {SINCE.map((since) => (
                <option key={since.hours} value={since.hours}>
                  {since.label}
                </option>
              ))}
            </Select>
          )}
        </Field>
        <ErrorNote className="mt-4" error={recover.error} lead="Nothing was recovered." />
        <DialogActions>
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" pending={recover.isPending}>
            Try them again
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
