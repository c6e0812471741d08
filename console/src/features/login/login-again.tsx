'use client';

import { useMutation } from '@tanstack/react-query';
import { KeyRound, QrCode } from 'lucide-react';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { formatPhone } from '@/components/session/name';
import { Button } from '@/components/ui/button';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { Field, SecretInput } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { $api, fetchClient } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { useOverlays } from '@/lib/overlays';
import { useRefresh } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';

interface BeginAgainProps {
  phone: string | undefined;
  pending: boolean;
  error: unknown;
  onBegin: (method: 'phone' | 'qr') => void;
}

/** The two ways of a user account back in. */
export function BeginAgain({ phone, pending, error, onBegin }: BeginAgainProps) {
  const { openLogin } = useOverlays();
  const failure = error === null || error === undefined ? undefined : ApiError.from(error);
  const running = failure?.status === 409 ? failure.sessionId : undefined;
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-wrap gap-2">
        {phone !== undefined && (
          <Button tone="primary" pending={pending} onClick={() => onBegin('phone')}>
            {!pending && <KeyRound aria-hidden />}
            Send a code to {formatPhone(phone)}
          </Button>
        )}
        <Button tone={phone === undefined ? 'primary' : 'plain'} pending={pending} onClick={() => onBegin('qr')}>
          {!pending && <QrCode aria-hidden />}
          Show a QR code
        </Button>
      </div>
      <ErrorNote error={failure} lead="The login was not started.">
        {running !== undefined && (
          <span className="py-1">
            <Button size="sm" onClick={() => openLogin(running)}>
              Resume that login
            </Button>
          </span>
        )}
      </ErrorNote>
    </div>
  );
}

interface LoginAgainProps {
  session: SessionSummary;
  name: string;
  onClose: () => void;
}

/** Signs a session in again whose authorization is gone; its id, label, app and proxy stay. */
export function LoginAgainDialog(props: LoginAgainProps) {
  return (
    <Dialog
      title={`Log ${props.name} in again`}
      description="The session keeps its id, label, app and proxy, so programs that use it need no change."
      onClose={props.onClose}
      className="sm:max-w-md"
    >
      {props.session.kind === 'bot' ? <BotAgain {...props} /> : <UserAgain {...props} />}
    </Dialog>
  );
}

function UserAgain({ session, onClose }: LoginAgainProps) {
  const { openLogin } = useOverlays();
  const refresh = useRefresh();
  const begin = useMutation({
    mutationFn: (method: 'phone' | 'qr') =>
      fetchClient.POST('/v1/user/{id}/login', { params: { path: { id: session.id } }, body: { method } }),
    onSuccess: async () => {
      await refresh.sessions();
      onClose();
      openLogin(session.id);
    },
  });
  return (
    <div className="flex flex-col gap-4 text-sm text-ink-2">
      <p>It has to be the same account as before; another one is logged out again at once.</p>
      <BeginAgain
        phone={session.phone}
        pending={begin.isPending}
        error={begin.error}
        onBegin={(method) => begin.mutate(method)}
      />
    </div>
  );
}

function BotAgain({ session, name, onClose }: LoginAgainProps) {
  const refresh = useRefresh();
  const login = $api.useMutation('post', '/v1/bot/{id}/login');
  const { register, handleSubmit, formState } = useForm({ defaultValues: { token: '' } });
  const submit = handleSubmit(({ token }) =>
    login.mutate(
      { params: { path: { id: session.id } }, body: token.trim() === '' ? {} : { token: token.trim() } },
      {
        onSuccess: () => {
          void refresh.sessions();
          toast.success(`${name} is signed in.`);
          onClose();
        },
      },
    ),
  );
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
      <Field
        label="New bot token"
        optional
        error={formState.errors.token?.message}
        hint="Of the same bot, from @BotFather. Left empty, the stored one is used."
      >
        {(wiring) => (
          <SecretInput
            {...wiring}
            autoFocus
            placeholder="123456:ABC-DEF…"
            {...register('token', {
              validate: (value) =>
                value.trim() === '' || /^\s*\d+:\S+\s*$/.test(value) || 'A bot token looks like 123456:ABC-DEF…',
            })}
          />
        )}
      </Field>
      <ErrorNote error={login.error} lead="The bot was not signed in." />
      <DialogActions>
        <Button tone="quiet" onClick={onClose}>
          Cancel
        </Button>
        <Button type="submit" tone="primary" pending={login.isPending}>
          Log in again
        </Button>
      </DialogActions>
    </form>
  );
}
