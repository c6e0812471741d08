import { ArrowLeft, ArrowRight, Radio, Webhook } from 'lucide-react';
import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { Field, VerbatimInput } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { cn } from '@/lib/cn';
import { useRefresh } from '@/lib/queries';
import type { SessionRef } from '@/lib/td';
import { DeliveryFields, type DeliveryOptions } from './delivery-fields';
import { FiltersFields, readFilters, type FiltersText } from './filters-fields';
import { showSecret } from './shown-secret';
import { urlProblem } from './target-url';

const STEPS = ['Where', 'Which updates', 'How'] as const;

interface CreateProps {
  session: SessionRef;
  onClose: () => void;
  onCreated: (subscriptionId: string) => void;
}

/** Makes a webhook in steps: where to, which updates, how. The secret follows in a dialog of its own. */
export function CreateWebhookDialog({ session, onClose, onCreated }: CreateProps) {
  const [step, setStep] = useState(0);
  const [url, setUrl] = useState('');
  const [complaint, setComplaint] = useState<string>();
  const [filters, setFilters] = useState<FiltersText>({ types: 'updateNewMessage', excludeTypes: '', chats: '' });
  const [options, setOptions] = useState<DeliveryOptions>({ order: 'none', connections: '40' });
  const refresh = useRefresh();
  const create = $api.useMutation('post', '/v1/{kind}/{id}/updates/subscriptions');
  const read = readFilters(filters);
  const connections = Number(options.connections);
  const wrongConnections = !Number.isInteger(connections) || connections < 1 || connections > 100;

  const finish = (): void =>
    create.mutate(
      {
        params: { path: { kind: session.kind, id: session.id } },
        body: { url: url.trim(), filters: read.filters, order: options.order, max_connections: connections },
      },
      {
        onSuccess: ({ result }) => {
          void refresh.subscriptions();
          if (result.secret !== undefined) {
            showSecret({ session, subscriptionId: result.id, secret: result.secret, isRotated: false });
          }
          onCreated(result.id);
        },
        onError: (thrown) => {
          const issue = ApiError.from(thrown).issues.find(({ path }) => path === 'url');
          if (!issue) return;
          setComplaint(issue.message);
          setStep(0);
        },
      },
    );
  const next = (): void => {
    if (step === 0) {
      const problem = urlProblem(url);
      setComplaint(problem);
      if (problem === undefined) setStep(1);
    } else if (step === 1) {
      if (read.problem === undefined) setStep(2);
    } else if (!wrongConnections) finish();
  };
  const failure = create.isError ? ApiError.from(create.error) : undefined;
  return (
    <Dialog
      title="Add a webhook"
      description="Updates of this session are stored first, and then posted to your server."
      onClose={onClose}
    >
      <Steps current={step} />
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          next();
        }}
        className="mt-4"
      >
        {step === 0 && (
          <Field
            label="URL"
            error={complaint}
            hint="Answer with 2xx within 10 seconds. It must be reachable from the server, at a public address unless WEBHOOK_ALLOW_NETWORKS says otherwise."
          >
            {(wiring) => (
              <VerbatimInput
                {...wiring}
                autoFocus
                type="url"
                inputMode="url"
                maxLength={2048}
                value={url}
                onChange={(event) => setUrl(event.target.value)}
                placeholder="https://example.com/telegram"
              />
            )}
          </Field>
        )}
        {step === 1 && <FiltersFields session={session} value={filters} onChange={setFilters} />}
        {step === 2 && (
          <DeliveryFields
            value={options}
            problem={wrongConnections ? 'A whole number from 1 to 100.' : undefined}
            onChange={setOptions}
          />
        )}
        {failure && step !== 0 && <ErrorNote className="mt-4" error={failure} lead="The webhook was not added." />}
        <DialogActions>
          {step === 0 ? (
            <Button tone="quiet" onClick={onClose}>
              Cancel
            </Button>
          ) : (
            <Button onClick={() => setStep(step - 1)}>
              <ArrowLeft aria-hidden />
              Back
            </Button>
          )}
          <Button type="submit" tone="primary" pending={create.isPending}>
            {step === 2 ? (
              'Add webhook'
            ) : (
              <>
                Next
                <ArrowRight aria-hidden />
              </>
            )}
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

function Steps({ current }: { current: number }) {
  return (
    <ol aria-label="Steps" className="flex flex-wrap gap-x-4 gap-y-1 text-xs">
      {STEPS.map((name, index) => (
        <li
          key={name}
          aria-current={index === current ? 'step' : undefined}
          className={cn(
            'inline-flex items-center gap-1.5',
            index === current ? 'font-semibold text-ink' : 'text-ink-3',
          )}
        >
          <span
            className={cn(
              'tabular grid size-5 place-items-center rounded-full border text-2xs',
              index <= current ? 'border-accent bg-accent-soft text-accent-ink' : 'border-line',
            )}
          >
            {index + 1}
          </span>
          {name}
        </li>
      ))}
    </ol>
  );
}

/** What a subscription is, as an icon. */
export function KindIcon({ kind }: { kind: 'webhook' | 'stream' }) {
  const Icon = kind === 'webhook' ? Webhook : Radio;
  return (
    <span className="grid size-8 shrink-0 place-items-center rounded-lg border border-line bg-sunken text-ink-2">
      <Icon aria-hidden className="size-4" strokeWidth={1.75} />
      <span className="sr-only">{kind === 'webhook' ? 'Webhook' : 'Stream'}</span>
    </span>
  );
}
