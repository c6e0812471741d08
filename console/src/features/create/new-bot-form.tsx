import { useRouter } from 'next/navigation';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { filled, showIssues } from '@/components/form';
import { AppSelect, ProxySelect } from '@/components/pickers';
import { Button } from '@/components/ui/button';
import { DialogActions } from '@/components/ui/dialog';
import { Field, Input, SecretInput } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { sessionHref } from '@/lib/overlays';
import { useRefresh } from '@/lib/queries';
import type { Parts } from './create-session-dialogs';

const FIELDS = ['token', 'app_id', 'proxy_id', 'label'] as const;

/** A bot from its token. The answer comes once Telegram has accepted it. */
export function NewBotForm({ apps, proxies, onClose }: Parts & { onClose: () => void }) {
  const router = useRouter();
  const refresh = useRefresh();
  const create = $api.useMutation('post', '/v1/bot');
  const { register, handleSubmit, formState, setError, getValues } = useForm({
    defaultValues: { token: '', app_id: apps.length === 1 ? (apps[0]?.id ?? '') : '', proxy_id: '', label: '' },
  });
  const { errors } = formState;

  const add = (allowDuplicate: boolean): void => {
    const { token, app_id, proxy_id, label } = getValues();
    create.mutate(
      {
        body: {
          token: token.trim(),
          app_id,
          ...filled({ proxy_id, label: label.trim() }),
          ...(allowDuplicate ? { allow_duplicate: true } : {}),
        },
      },
      {
        onSuccess: ({ result }) => {
          void refresh.sessions();
          toast.success('The bot is signed in.');
          router.push(sessionHref(result));
        },
        onError: (thrown) => showIssues(thrown, FIELDS, setError),
      },
    );
  };
  const failure = create.isError ? ApiError.from(create.error) : undefined;
  const twin = failure?.status === 409 ? failure.sessionId : undefined;

  return (
    <form onSubmit={(event) => void handleSubmit(() => add(false))(event)} noValidate className="flex flex-col gap-4">
      <Field
        label="Bot token"
        error={errors.token?.message}
        hint="From @BotFather. It is stored encrypted and never shown again."
      >
        {(wiring) => (
          <SecretInput
            {...wiring}
            autoFocus
            placeholder="123456:ABC-DEF…"
            {...register('token', {
              validate: (value) => /^\s*\d+:\S+\s*$/.test(value) || 'A bot token looks like 123456:ABC-DEF…',
            })}
          />
        )}
      </Field>
      <Field label="Telegram app" error={errors.app_id?.message}>
        {(wiring) => (
          <AppSelect
            {...wiring}
            apps={apps}
            {...register('app_id', { required: 'Choose the app it signs in with.' })}
          />
        )}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Proxy" optional error={errors.proxy_id?.message}>
          {(wiring) => <ProxySelect {...wiring} proxies={proxies} {...register('proxy_id')} />}
        </Field>
        <Field label="Label" optional error={errors.label?.message}>
          {(wiring) => <Input {...wiring} maxLength={200} placeholder="support-bot" {...register('label')} />}
        </Field>
      </div>
      {failure && failure.issues.length === 0 && (
        <ErrorNote error={failure} lead="The bot was not added.">
          {twin !== undefined && (
            <span className="flex flex-wrap gap-2 py-1">
              <Button size="sm" onClick={() => router.push(sessionHref({ id: twin }))}>
                Open that session
              </Button>
              <Button size="sm" tone="quiet" onClick={() => add(true)}>
                Add it a second time
              </Button>
            </span>
          )}
        </ErrorNote>
      )}
      <DialogActions>
        {create.isPending && (
          <span role="status" className="mr-auto text-xs text-ink-2">
            Signing in at Telegram, a few seconds…
          </span>
        )}
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" tone="primary" pending={create.isPending}>
          Add bot
        </Button>
      </DialogActions>
    </form>
  );
}
