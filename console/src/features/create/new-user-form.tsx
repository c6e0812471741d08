import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { filled, showIssues } from '@/components/form';
import { AppSelect, ProxySelect } from '@/components/pickers';
import { Button } from '@/components/ui/button';
import { DialogActions } from '@/components/ui/dialog';
import { Field, Input } from '@/components/ui/field';
import { Segmented } from '@/components/ui/segmented';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { useOverlays } from '@/lib/overlays';
import { useRefresh } from '@/lib/queries';
import type { Parts } from './create-session-dialogs';

const FIELDS = ['phone', 'app_id', 'proxy_id', 'label'] as const;

/** Starts the login of a user account and hands over to the login dialog. */
export function NewUserForm({ apps, proxies, onClose }: Parts & { onClose: () => void }) {
  const { openLogin } = useOverlays();
  const refresh = useRefresh();
  const create = $api.useMutation('post', '/v1/user');
  const [method, setMethod] = useState<'phone' | 'qr'>('phone');
  const { register, handleSubmit, formState, setError } = useForm({
    defaultValues: { phone: '', app_id: apps.length === 1 ? (apps[0]?.id ?? '') : '', proxy_id: '', label: '' },
  });
  const { errors } = formState;

  const start = handleSubmit(({ phone, app_id, proxy_id, label }) =>
    create.mutate(
      {
        body: {
          ...(method === 'qr' ? { method } : { phone: phone.trim() }),
          app_id,
          ...filled({ proxy_id, label: label.trim() }),
        },
      },
      {
        onSuccess: ({ result }) => {
          void refresh.sessions();
          for (const warning of result.warnings ?? []) toast.warning(warning);
          openLogin(result.id);
        },
        onError: (thrown) => showIssues(thrown, FIELDS, setError),
      },
    ),
  );
  const failure = create.isError ? ApiError.from(create.error) : undefined;
  const running = failure?.status === 409 ? failure.sessionId : undefined;

  return (
    <form onSubmit={(event) => void start(event)} noValidate className="flex flex-col gap-4">
      <Segmented
        label="How the account proves itself"
        value={method}
        onChange={setMethod}
        className="self-start"
        options={[
          { value: 'phone', label: 'Phone number' },
          { value: 'qr', label: 'QR code' },
        ]}
      />
      {method === 'phone' && (
        <Field
          label="Phone number"
          error={errors.phone?.message}
          hint="With the country code, +1 555 0142; spaces and brackets do not matter."
        >
          {(wiring) => (
            <Input
              {...wiring}
              autoFocus
              type="tel"
              inputMode="tel"
              autoComplete="off"
              placeholder="+1 555 0142"
              {...register('phone', {
                validate: (value) =>
                  /\d{5,}/.test(value.replace(/\D/g, '')) || 'Enter the number with its country code.',
              })}
            />
          )}
        </Field>
      )}
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
          {(wiring) => <Input {...wiring} maxLength={200} placeholder="ops account" {...register('label')} />}
        </Field>
      </div>
      <p className="flex gap-2.5 rounded-lg bg-sunken px-3.5 py-3 text-xs text-ink-2">
        <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
        Telegram watches new logins. An account that has two-step verification, some age, and a proxy in its usual
        country is the least likely to be limited.
      </p>
      {failure && failure.issues.length === 0 && (
        <ErrorNote error={failure} lead="The login was not started.">
          {running !== undefined && (
            <span className="py-1">
              <Button size="sm" onClick={() => openLogin(running)}>
                Resume that login
              </Button>
            </span>
          )}
        </ErrorNote>
      )}
      <DialogActions>
        {create.isPending && (
          <span role="status" className="mr-auto text-xs text-ink-2">
            Asking Telegram…
          </span>
        )}
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" tone="primary" pending={create.isPending}>
          {method === 'qr' ? 'Show QR code' : 'Send login code'}
        </Button>
      </DialogActions>
    </form>
  );
}
