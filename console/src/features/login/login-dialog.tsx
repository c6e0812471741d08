'use client';

import { CircleCheck, CircleX } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { toast } from 'sonner';
import { STATUS, isLoggingIn } from '@/components/session/status';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { LoadFailed } from '@/components/ui/states';
import { ApiError } from '@/lib/api-error';
import { sessionHref, useOverlays } from '@/lib/overlays';
import type { SessionDetails } from '@/lib/types';
import { BeginAgain } from './login-again';
import { Discard, Outcome, Waiting, type StepProps } from './login-parts';
import { CodeStep, EmailCodeStep, EmailStep, PasswordStep, RegistrationStep } from './login-steps';
import { QrStep } from './qr-step';
import { useLogin } from './use-login';

/** The login that the address names, over whatever page is open; it outlives a reload, and closing only hides it. */
export function LoginDialog() {
  const { loginId, close } = useOverlays();
  if (loginId === undefined) return null;
  return <LoginFlow key={loginId} id={loginId} onClose={close} />;
}

function LoginFlow({ id, onClose }: { id: string; onClose: () => void }) {
  const login = useLogin(id);
  const { session } = login;
  const state = session.data;
  const hide = (): void => {
    if (state && isLoggingIn('user', state.status)) {
      toast('The login goes on without this window.', {
        description: `Find it again under Sessions, as “${STATUS[state.status].word}”.`,
      });
    }
    onClose();
  };
  return (
    <Dialog
      title="Log in a user account"
      description={state ? <Progress state={state} /> : undefined}
      onClose={hide}
      className="sm:max-w-md"
    >
      {session.isPending ? (
        <Waiting>Looking for the login…</Waiting>
      ) : session.isLoadingError ? (
        <Lost error={session.error} onRetry={() => void session.refetch()} onClose={onClose} />
      ) : (
        // A new question starts with an empty form and without the refusal of the last one.
        state && <Step key={state.status} login={login} state={state} onClose={onClose} />
      )}
    </Dialog>
  );
}

function Step(props: StepProps) {
  switch (props.state.status) {
    case 'connecting':
      return (
        <>
          <Waiting>Connecting to Telegram. It asks something in a moment; nothing to type yet.</Waiting>
          <Discard login={props.login} onClose={props.onClose} />
        </>
      );
    case 'awaiting_code':
      return <CodeStep {...props} />;
    case 'awaiting_password':
      return <PasswordStep {...props} />;
    case 'awaiting_qr':
      return <QrStep {...props} />;
    case 'awaiting_email':
      return <EmailStep {...props} />;
    case 'awaiting_email_code':
      return <EmailCodeStep {...props} />;
    case 'awaiting_registration':
      return <RegistrationStep {...props} />;
    case 'authorized':
      return <Done {...props} />;
    case 'stopped':
    case 'logged_out':
    case 'banned':
    case 'expired':
    case 'error':
      return <Ended {...props} />;
  }
}

function Progress({ state }: { state: SessionDetails }) {
  const isQr = state.status === 'awaiting_qr' || state.phone === undefined;
  const steps = [isQr ? 'Scan' : 'Code', 'Password', 'Ready'];
  const reached = state.status === 'authorized' ? 2 : state.status === 'awaiting_password' ? 1 : 0;
  return (
    <ol className="mt-1 flex items-center gap-2 text-xs">
      {steps.map((name, index) => (
        <li
          key={name}
          aria-current={index === reached ? 'step' : undefined}
          className={
            index <= reached ? 'flex items-center gap-2 font-medium text-accent-ink' : 'flex items-center gap-2'
          }
        >
          {index > 0 && <span aria-hidden className="h-px w-4 bg-line-strong" />}
          {name}
          {name === 'Password' && <span className="sr-only">, only with two-step verification</span>}
        </li>
      ))}
    </ol>
  );
}

function Done({ state, onClose }: StepProps) {
  const router = useRouter();
  return (
    <Outcome icon={<CircleCheck aria-hidden className="size-5" />} tone="bg-ok-soft text-ok">
      <p className="text-base font-semibold text-ink">The account is signed in</p>
      <p className="mt-1">It is ready for calls. Telegram tells the account’s other devices about the new login.</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <Button
          tone="primary"
          autoFocus
          onClick={() => {
            onClose();
            router.push(sessionHref(state));
          }}
        >
          Open the session
        </Button>
        <Button onClick={onClose}>Close</Button>
      </div>
    </Outcome>
  );
}

function Ended({ login, state, onClose }: StepProps) {
  return (
    <Outcome icon={<CircleX aria-hidden className="size-5" />} tone="bg-bad-soft text-bad">
      <p className="text-base font-semibold text-ink">{STATUS[state.status].word}</p>
      <p className="mt-1">{STATUS[state.status].explain}</p>
      {state.last_error !== undefined && state.last_error !== '' && (
        <p className="mt-1">
          <code className="font-mono text-xs break-words">{state.last_error}</code>
        </p>
      )}
      {state.status !== 'stopped' && (
        <div className="mt-4">
          <BeginAgain
            phone={state.phone}
            pending={login.step.isPending}
            error={login.step.error}
            onBegin={(method) => login.step.mutate({ to: 'begin', method })}
          />
        </div>
      )}
      <Button className="mt-3" tone="quiet" onClick={onClose}>
        Close
      </Button>
    </Outcome>
  );
}

function Lost({ error, onRetry, onClose }: { error: unknown; onRetry: () => void; onClose: () => void }) {
  if (ApiError.from(error).status !== 404) return <LoadFailed what="login" error={error} onRetry={onRetry} />;
  return (
    <Outcome icon={<CircleX aria-hidden className="size-5" />} tone="bg-idle-soft text-idle">
      <p className="text-base font-semibold text-ink">This login is gone</p>
      <p className="mt-1">It was cancelled or removed, perhaps in another window.</p>
      <Button className="mt-4" onClick={onClose}>
        Close
      </Button>
    </Outcome>
  );
}
