'use client';

import { CircleCheck, CircleX, KeyRound, LoaderCircle, LockKeyhole, TriangleAlert } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState, type ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { toast } from 'sonner';
import { STATUS, isLoggingIn } from '@/components/session/status';
import { Button } from '@/components/ui/button';
import { Dialog } from '@/components/ui/dialog';
import { Field, Input, SecretInput } from '@/components/ui/field';
import { ErrorNote, LoadFailed, RequestId } from '@/components/ui/states';
import { ApiError } from '@/lib/api-error';
import { useNow } from '@/lib/clock';
import { sessionHref, useOverlays } from '@/lib/overlays';
import { formatCountdown } from '@/lib/time';
import type { SessionDetails } from '@/lib/types';
import { describeCode, explainRefusal, nextChannel, refusalOf, resendTime } from './login-words';
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
        description: 'Find it again under Sessions, as “Code needed”.',
      });
    }
    onClose();
  };
  return (
    <Dialog
      title="Log in a user account"
      description={state ? <Progress status={state.status} /> : undefined}
      onClose={hide}
      className="sm:max-w-md"
    >
      {session.isPending ? (
        <Waiting>Looking for the login…</Waiting>
      ) : session.isError && !state ? (
        <Lost error={session.error} onRetry={() => void session.refetch()} onClose={onClose} />
      ) : (
        state && <Step login={login} state={state} onClose={onClose} />
      )}
    </Dialog>
  );
}

type Login = ReturnType<typeof useLogin>;

function Step({ login, state, onClose }: { login: Login; state: SessionDetails; onClose: () => void }) {
  switch (state.status) {
    case 'connecting':
      return (
        <>
          <Waiting>Connecting to Telegram. It will send a code in a moment; nothing to type yet.</Waiting>
          <Discard login={login} onClose={onClose} />
        </>
      );
    case 'awaiting_code':
      return <CodeStep login={login} state={state} onClose={onClose} />;
    case 'awaiting_password':
      return <PasswordStep login={login} state={state} onClose={onClose} />;
    case 'authorized':
      return <Done state={state} onClose={onClose} />;
    case 'awaiting_qr':
    case 'awaiting_email':
    case 'awaiting_email_code':
    case 'awaiting_registration':
      return (
        <>
          <Outcome icon={<TriangleAlert aria-hidden className="size-5" />} tone="bg-wait-soft text-wait">
            <p className="font-medium text-ink">{STATUS[state.status].explain}</p>
            <p className="mt-1">This window cannot answer that. The login waits; answer it through the API.</p>
          </Outcome>
          <Discard login={login} onClose={onClose} />
        </>
      );
    case 'stopped':
    case 'logged_out':
    case 'banned':
    case 'expired':
    case 'error':
      return <Ended login={login} state={state} onClose={onClose} />;
  }
}

const STEPS = ['Code', 'Password', 'Ready'] as const;

function Progress({ status }: { status: SessionDetails['status'] }) {
  const reached = status === 'authorized' ? 2 : status === 'awaiting_password' ? 1 : 0;
  return (
    <ol className="mt-1 flex items-center gap-2 text-xs">
      {STEPS.map((name, index) => (
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

interface StepProps {
  login: Login;
  state: SessionDetails;
  onClose: () => void;
}

function CodeStep({ login, state, onClose }: StepProps) {
  const { register, handleSubmit, formState, resetField, setFocus } = useForm({ defaultValues: { code: '' } });
  const { step } = login;
  const submit = handleSubmit(({ code }) =>
    step.mutate(
      { code: code.replace(/[\s-]/g, '') },
      {
        onError: () => {
          resetField('code');
          setFocus('code');
        },
      },
    ),
  );
  const resending = step.isPending && step.variables === 'resend';
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <p className="mb-4 flex gap-2.5 text-sm text-ink-2">
        <KeyRound aria-hidden className="mt-0.5 size-4 shrink-0" />
        {describeCode(state.code_info)}
      </p>
      <Field label="Login code" error={formState.errors.code?.message}>
        {(wiring) => (
          <Input
            {...wiring}
            autoFocus
            inputMode="numeric"
            autoComplete="one-time-code"
            className="h-11 font-mono text-lg tracking-[0.3em] sm:text-lg"
            {...register('code', { validate: (value) => value.trim() !== '' || 'Enter the code.' })}
          />
        )}
      </Field>
      <Refusal thrown={step.error} lastError={state.last_error} />
      <div className="mt-3">
        <Resend state={state} pending={resending} onResend={() => step.mutate('resend')} />
      </div>
      <Button
        type="submit"
        tone="primary"
        pending={step.isPending && !resending}
        disabled={resending}
        className="mt-5 w-full"
      >
        Continue
      </Button>
      <Discard login={login} onClose={onClose} disarmedBy={formState.isDirty} />
    </form>
  );
}

function PasswordStep({ login, state, onClose }: StepProps) {
  const { register, handleSubmit, formState, resetField, setFocus } = useForm({ defaultValues: { password: '' } });
  const { step } = login;
  const submit = handleSubmit(({ password }) =>
    step.mutate(
      { password },
      {
        onError: () => {
          resetField('password');
          setFocus('password');
        },
      },
    ),
  );
  const hint = state.password_hint;
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <p className="mb-4 flex gap-2.5 text-sm text-ink-2">
        <LockKeyhole aria-hidden className="mt-0.5 size-4 shrink-0" />
        The code was right. This account also asks for its two-step verification password.
      </p>
      <Field
        label="Two-step verification password"
        error={formState.errors.password?.message}
        hint={hint !== undefined && hint !== '' ? <>The account’s own hint: “{hint}”</> : 'This account has no hint.'}
      >
        {(wiring) => (
          <SecretInput
            {...wiring}
            autoFocus
            {...register('password', { validate: (value) => value !== '' || 'Enter the password.' })}
          />
        )}
      </Field>
      <Refusal thrown={step.variables !== 'resend' ? step.error : undefined} lastError={state.last_error} />
      <Button type="submit" tone="primary" pending={step.isPending} className="mt-5 w-full">
        Continue
      </Button>
      <Discard login={login} onClose={onClose} disarmedBy={formState.isDirty} />
    </form>
  );
}

/** Why the last try was refused: plain words, Telegram's own, how long to wait. */
function Refusal({ thrown, lastError }: { thrown: unknown; lastError: string | undefined }) {
  const words = refusalOf(thrown, lastError);
  if (words === undefined) return null;
  const explained = explainRefusal(words);
  const failure = thrown instanceof ApiError ? thrown : undefined;
  return (
    <div role="alert" className="mt-3 rounded-lg bg-bad-soft px-3.5 py-3 text-sm text-bad">
      {explained.sentence !== undefined && <p className="font-medium">{explained.sentence}</p>}
      <p className={explained.sentence === undefined ? '' : 'mt-0.5 text-xs'}>
        {explained.sentence === undefined ? '' : 'Telegram: '}
        <code className="font-mono">{explained.words}</code>
      </p>
      {failure?.retryAfterSeconds !== undefined && <WaitOut seconds={failure.retryAfterSeconds} />}
      <RequestId id={failure?.requestId} />
    </div>
  );
}

function WaitOut({ seconds }: { seconds: number }) {
  const now = useNow();
  const [until] = useState(now + seconds * 1_000);
  const left = (until - now) / 1_000;
  return (
    <p className="tabular mt-1">{left > 0 ? `Wait ${formatCountdown(left)} before the next try.` : 'Try again.'}</p>
  );
}

interface ResendProps {
  state: SessionDetails;
  pending: boolean;
  onResend: () => void;
}

/** Counts down to the absolute time that Telegram allows the next code at, so reopening the window does not restart it. */
function Resend({ state, pending, onResend }: ResendProps) {
  const now = useNow();
  const info = state.code_info;
  const channel = nextChannel(info);
  const left = ((resendTime(info) ?? now) - now) / 1_000;
  const way = channel ?? 'again';
  if (left > 0) {
    return (
      <p className="tabular text-xs text-ink-2">
        No code? A new one can be sent {way} in <strong className="font-semibold">{formatCountdown(left)}</strong>.
      </p>
    );
  }
  return (
    <Button size="sm" pending={pending} onClick={onResend}>
      Send a new code {way}
    </Button>
  );
}

interface DiscardProps {
  login: Login;
  onClose: () => void;
  /** Typing means that the login is wanted after all. */
  disarmedBy?: boolean;
}

/** Cancelling takes two clicks, because it throws away a code that Telegram sends only so often. */
function Discard({ login, onClose, disarmedBy = false }: DiscardProps) {
  const [asked, setAsked] = useState(false);
  const { discard } = login;
  const armed = asked && !disarmedBy;
  return (
    <div className="mt-4 border-t border-line pt-4">
      {armed ? (
        <div className="flex flex-wrap items-center gap-2">
          <p className="w-full text-sm text-ink-2">
            This login and its code are thrown away. Telegram limits how many codes a number gets.
          </p>
          <Button
            size="sm"
            tone="danger"
            pending={discard.isPending}
            onClick={() => discard.mutate(undefined, { onSuccess: onClose })}
          >
            Throw the login away
          </Button>
          <Button size="sm" tone="quiet" onClick={() => setAsked(false)}>
            Keep it
          </Button>
        </div>
      ) : (
        <div className="flex items-center justify-between gap-2">
          <p className="text-xs text-ink-3">Closing this window only hides the login.</p>
          <Button size="sm" tone="quiet" onClick={() => setAsked(true)}>
            Cancel login
          </Button>
        </div>
      )}
      <ErrorNote className="mt-3" error={discard.error} lead="The login was not cancelled." />
    </div>
  );
}

function Done({ state, onClose }: { state: SessionDetails; onClose: () => void }) {
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
  const { openCreate } = useOverlays();
  return (
    <>
      <Outcome icon={<CircleX aria-hidden className="size-5" />} tone="bg-bad-soft text-bad">
        <p className="text-base font-semibold text-ink">{STATUS[state.status].word}</p>
        <p className="mt-1">{STATUS[state.status].explain}</p>
        {state.last_error !== undefined && state.last_error !== '' && (
          <p className="mt-1">
            <code className="font-mono text-xs">{state.last_error}</code>
          </p>
        )}
        <div className="mt-4 flex flex-wrap gap-2">
          <Button
            tone="primary"
            pending={login.discard.isPending}
            onClick={() => login.discard.mutate(undefined, { onSuccess: () => openCreate('user') })}
          >
            Remove it and log in anew
          </Button>
          <Button onClick={onClose}>Close</Button>
        </div>
      </Outcome>
      <ErrorNote className="mt-3" error={login.discard.error} lead="The login was not removed." />
    </>
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

function Waiting({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="flex items-center gap-3 py-4 text-sm text-ink-2">
      <LoaderCircle aria-hidden className="size-5 shrink-0 animate-spin text-accent" />
      {children}
    </p>
  );
}

function Outcome({ icon, tone, children }: { icon: ReactNode; tone: string; children: ReactNode }) {
  return (
    <div role="status" className="flex gap-3.5 py-1">
      <span className={`grid size-10 shrink-0 place-items-center rounded-xl ${tone}`}>{icon}</span>
      <div className="min-w-0 flex-1 text-sm text-ink-2">{children}</div>
    </div>
  );
}
