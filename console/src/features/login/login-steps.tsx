import { KeyRound, LockKeyhole, Mail, MailQuestion, UserRoundPlus } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Button } from '@/components/ui/button';
import { Field, Input, SecretInput } from '@/components/ui/field';
import { useNow } from '@/lib/clock';
import { formatCountdown } from '@/lib/time';
import type { SessionDetails } from '@/lib/types';
import { AnswerForm } from './answer-form';
import { Discard, Refusal, type StepProps } from './login-parts';
import { describeCode, nextChannel, resendTime } from './login-words';

const CODE_INPUT = {
  inputMode: 'numeric',
  autoComplete: 'one-time-code',
  className: 'h-11 font-mono text-lg tracking-[0.3em] sm:text-lg',
} as const;
const codeIsThere = (value: string): true | string => value.trim() !== '' || 'Enter the code.';
const withoutGaps = (code: string): string => code.replace(/[\s-]/g, '');

/** The code that Telegram sent. */
export function CodeStep(props: StepProps) {
  const { state, login } = props;
  const { step } = login;
  return (
    <AnswerForm
      {...props}
      icon={KeyRound}
      question={describeCode(state.code_info)}
      label="Login code"
      input={CODE_INPUT}
      validate={codeIsThere}
      toAnswer={(code) => ({ to: 'code', code: withoutGaps(code) })}
    >
      <Resend
        state={state}
        pending={step.isPending && step.variables.to === 'resend'}
        onResend={() => step.mutate({ to: 'resend' })}
      />
    </AnswerForm>
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
  const left = ((resendTime(info) ?? now) - now) / 1_000;
  const way = nextChannel(info) ?? 'again';
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

/** The second step of accounts that have one; forgotten, it is replaced by way of the recovery mail. */
export function PasswordStep(props: StepProps) {
  const { state, login } = props;
  const hint = state.password_hint;
  const [recovers, setRecovers] = useState(state.email_pattern !== undefined);
  const { step } = login;
  if (recovers && state.email_pattern !== undefined) {
    return <RecoverStep {...props} pattern={state.email_pattern} onPassword={() => setRecovers(false)} />;
  }
  return (
    <AnswerForm
      {...props}
      icon={LockKeyhole}
      question="That was right. This account also asks for its two-step verification password."
      label="Two-step verification password"
      hint={hint !== undefined && hint !== '' ? <>The account’s own hint: “{hint}”</> : 'This account has no hint.'}
      secret
      validate={(value) => value !== '' || 'Enter the password.'}
      toAnswer={(password) => ({ to: 'password', password })}
    >
      {state.has_recovery_email === false ? (
        <p className="text-xs text-ink-2">
          Forgotten? This account has no recovery email address. Its password can only be reset in a Telegram app that
          is signed in to it, or after a week from the login of an official app.
        </p>
      ) : state.email_pattern !== undefined ? (
        <Button size="sm" tone="quiet" className="-ml-2.5" onClick={() => setRecovers(true)}>
          Enter the code from the mail
        </Button>
      ) : (
        <Button
          size="sm"
          tone="quiet"
          className="-ml-2.5"
          pending={step.isPending && step.variables.to === 'recover'}
          onClick={() => step.mutate({ to: 'recover' }, { onSuccess: () => setRecovers(true) })}
        >
          I forgot the password
        </Button>
      )}
    </AnswerForm>
  );
}

interface RecoverProps extends StepProps {
  /** Where the code went, as Telegram shows it: n***e@example.org. */
  pattern: string;
  onPassword: () => void;
}

/** The code of the recovery mail, and the password that holds from then on. */
function RecoverStep({ login, state, onClose, pattern, onPassword }: RecoverProps) {
  const { register, handleSubmit, formState, resetField, setFocus } = useForm({
    defaultValues: { code: '', password: '', hint: '' },
  });
  const { step } = login;
  const isSending = step.isPending && step.variables.to === 'recover';
  const submit = handleSubmit(({ code, password, hint }) =>
    step.mutate(
      { to: 'recover-code', code: withoutGaps(code), newPassword: password, newHint: hint.trim() },
      {
        onError: () => {
          resetField('code');
          setFocus('code');
        },
      },
    ),
  );
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
      <p className="flex gap-2.5 text-sm text-ink-2">
        <Mail aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>
          Telegram sent a code to the recovery address <strong className="font-semibold text-ink">{pattern}</strong>. It
          takes the place of the password.
        </span>
      </p>
      <Field label="Code from the mail" error={formState.errors.code?.message}>
        {(wiring) => <Input {...wiring} autoFocus {...CODE_INPUT} {...register('code', { validate: codeIsThere })} />}
      </Field>
      <Field label="New password" optional hint="Left empty, the account has no two-step verification from then on.">
        {(wiring) => <SecretInput {...wiring} autoComplete="new-password" {...register('password')} />}
      </Field>
      <Field label="Hint for it" optional>
        {(wiring) => <Input {...wiring} maxLength={200} autoComplete="off" {...register('hint')} />}
      </Field>
      <Refusal thrown={step.error} lastError={state.last_error} />
      <Button
        type="submit"
        tone="primary"
        pending={step.isPending && !isSending}
        disabled={isSending}
        className="w-full"
      >
        Log in with the code
      </Button>
      <div className="flex flex-wrap justify-between gap-2">
        <Button size="sm" tone="quiet" pending={isSending} onClick={() => step.mutate({ to: 'recover' })}>
          Send another code
        </Button>
        <Button size="sm" tone="quiet" onClick={onPassword}>
          I know the password after all
        </Button>
      </div>
      <Discard login={login} onClose={onClose} disarmedBy={formState.isDirty} />
    </form>
  );
}

/** The address that Telegram wants codes of this account to go to. */
export function EmailStep(props: StepProps) {
  return (
    <AnswerForm
      {...props}
      icon={Mail}
      question="Telegram asks for an email address of this account before it goes on. It sends a code there."
      label="Email address"
      input={{ type: 'email', inputMode: 'email', autoComplete: 'off' }}
      validate={(value) => /^\s*\S+@\S+\s*$/.test(value) || 'Enter an email address.'}
      toAnswer={(email) => ({ to: 'email', email: email.trim() })}
    />
  );
}

/** The code that came by mail. */
export function EmailCodeStep(props: StepProps) {
  return (
    <AnswerForm
      {...props}
      icon={MailQuestion}
      question="Telegram sent a code to the account’s login email address."
      label="Code from the mail"
      input={CODE_INPUT}
      validate={codeIsThere}
      toAnswer={(code) => ({ to: 'email-code', code: withoutGaps(code) })}
    />
  );
}

/** A number that no account has yet: Telegram makes one with this name. */
export function RegistrationStep({ login, state, onClose }: StepProps) {
  const { register, handleSubmit, formState } = useForm({ defaultValues: { firstName: '', lastName: '' } });
  const { step } = login;
  const submit = handleSubmit((names) =>
    step.mutate({ to: 'registration', firstName: names.firstName.trim(), lastName: names.lastName.trim() }),
  );
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="flex flex-col gap-4">
      <p className="flex gap-2.5 text-sm text-ink-2">
        <UserRoundPlus aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>
          No account has this number yet. Going on registers one at Telegram and accepts its terms of service.
        </span>
      </p>
      <Field label="First name" error={formState.errors.firstName?.message}>
        {(wiring) => (
          <Input
            {...wiring}
            autoFocus
            maxLength={64}
            autoComplete="off"
            {...register('firstName', { validate: (value) => value.trim() !== '' || 'Enter a first name.' })}
          />
        )}
      </Field>
      <Field label="Last name" optional>
        {(wiring) => <Input {...wiring} maxLength={64} autoComplete="off" {...register('lastName')} />}
      </Field>
      <Refusal thrown={step.error} lastError={state.last_error} />
      <Button type="submit" tone="primary" pending={step.isPending} className="w-full">
        Register the account
      </Button>
      <Discard login={login} onClose={onClose} disarmedBy={formState.isDirty} />
    </form>
  );
}
