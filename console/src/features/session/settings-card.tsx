import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { showIssues } from '@/components/form';
import { ProxySelect } from '@/components/pickers';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Field, Input } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { useProxies, useRefresh } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';

const FIELDS = ['label', 'proxy_id'] as const;

/** The two things about a session that can be changed while it runs. Only what was changed is sent. */
export function SettingsCard({ session }: { session: SessionSummary }) {
  const proxies = useProxies();
  const refresh = useRefresh();
  const update = $api.useMutation('patch', '/v1/{kind}/{id}');
  const { register, handleSubmit, formState, setError, reset } = useForm({
    // Follows the server while nothing is typed, and keeps what is typed when the next poll comes.
    values: { label: session.label ?? '', proxy_id: session.proxy_id ?? '' },
    resetOptions: { keepDirtyValues: true },
  });
  const { dirtyFields, isDirty, errors } = formState;
  const submit = handleSubmit((values) =>
    update.mutate(
      {
        params: { path: { kind: session.kind, id: session.id } },
        body: {
          ...(dirtyFields.label ? { label: values.label.trim() } : {}),
          ...(dirtyFields.proxy_id ? { proxy_id: values.proxy_id } : {}),
        },
      },
      {
        onSuccess: () => {
          reset(values);
          void refresh.sessions();
          toast.success('Saved.');
        },
        onError: (thrown) => showIssues(thrown, FIELDS, setError),
      },
    ),
  );
  const failure = update.isError ? ApiError.from(update.error) : undefined;
  return (
    <Card title="Settings">
      <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
        <Field label="Label" optional error={errors.label?.message}>
          {(wiring) => <Input {...wiring} maxLength={200} {...register('label')} />}
        </Field>
        <Field
          label="Proxy"
          error={errors.proxy_id?.message}
          hint="Applies at once; the connection drops for a moment. Sessions without one use the server’s default way out."
        >
          {(wiring) => (
            <ProxySelect {...wiring} proxies={proxies.data ?? []} disabled={!proxies.data} {...register('proxy_id')} />
          )}
        </Field>
        <ErrorNote error={failure && failure.issues.length === 0 ? failure : undefined} lead="Not saved." />
        <Button type="submit" className="self-start" disabled={!isDirty} pending={update.isPending}>
          Save changes
        </Button>
      </form>
    </Card>
  );
}
