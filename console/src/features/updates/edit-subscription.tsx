import { useState } from 'react';
import { toast } from 'sonner';
import { Button } from '@/components/ui/button';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { Field, VerbatimInput } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { useRefresh } from '@/lib/queries';
import type { SessionRef } from '@/lib/td';
import type { Subscription } from '@/lib/types';
import { DeliveryFields, type DeliveryOptions } from './delivery-fields';
import { FiltersFields, filtersText, readFilters } from './filters-fields';
import { urlProblem } from './target-url';

interface EditProps {
  session: SessionRef;
  subscription: Subscription;
  onClose: () => void;
}

/** Changes a subscription while it runs. */
export function EditSubscriptionDialog({ session, subscription, onClose }: EditProps) {
  const isWebhook = subscription.kind === 'webhook';
  const [url, setUrl] = useState(subscription.url ?? '');
  const [filters, setFilters] = useState(() => filtersText(subscription.filters));
  const [options, setOptions] = useState<DeliveryOptions>({
    order: subscription.order ?? 'none',
    connections: String(subscription.max_connections ?? 40),
  });
  const [complaint, setComplaint] = useState<string>();
  const refresh = useRefresh();
  const update = $api.useMutation('patch', '/v1/{kind}/{id}/updates/subscriptions/{sub}');
  const read = readFilters(filters);
  const connections = Number(options.connections);
  const wrongConnections = !Number.isInteger(connections) || connections < 1 || connections > 100;
  const save = (): void => {
    const problem = isWebhook ? urlProblem(url) : undefined;
    setComplaint(problem);
    if (problem !== undefined || read.problem !== undefined || wrongConnections) return;
    update.mutate(
      {
        params: { path: { kind: session.kind, id: session.id, sub: subscription.id } },
        body: {
          filters: read.filters,
          ...(isWebhook ? { url: url.trim(), order: options.order, max_connections: connections } : {}),
        },
      },
      {
        onSuccess: () => {
          void refresh.subscriptions();
          toast.success('Saved. It holds for what comes from now on.');
          onClose();
        },
        onError: (thrown) => setComplaint(ApiError.from(thrown).issues.find(({ path }) => path === 'url')?.message),
      },
    );
  };
  return (
    <Dialog title={isWebhook ? 'Edit the webhook' : 'Edit the stream'} onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          save();
        }}
        className="flex flex-col gap-5"
      >
        {isWebhook && (
          <Field label="URL" error={complaint} hint="What waits already goes to the new one as well.">
            {(wiring) => (
              <VerbatimInput
                {...wiring}
                type="url"
                inputMode="url"
                maxLength={2048}
                value={url}
                onChange={(event) => setUrl(event.target.value)}
              />
            )}
          </Field>
        )}
        <FiltersFields session={session} value={filters} onChange={setFilters} />
        {isWebhook && (
          <DeliveryFields
            value={options}
            problem={wrongConnections ? 'A whole number from 1 to 100.' : undefined}
            onChange={setOptions}
          />
        )}
        <ErrorNote error={complaint === undefined ? update.error : undefined} lead="Nothing was changed." />
        <DialogActions>
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" pending={update.isPending}>
            Save changes
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
