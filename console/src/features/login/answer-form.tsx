import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { useForm } from 'react-hook-form';
import { Button } from '@/components/ui/button';
import { Field, Input, SecretInput } from '@/components/ui/field';
import { Discard, Refusal, type StepProps } from './login-parts';
import type { Answer } from './use-login';

interface AnswerFormProps extends StepProps {
  icon: LucideIcon;
  /** What Telegram did and asks now. */
  question: ReactNode;
  label: string;
  hint?: ReactNode;
  /** Masked while it is typed. */
  secret?: boolean;
  input?: Pick<ComponentProps<'input'>, 'inputMode' | 'autoComplete' | 'className' | 'type'>;
  /** @returns what is wrong with the value, or true. */
  validate: (value: string) => true | string;
  toAnswer: (value: string) => Answer;
  /** Between the input and the button. */
  children?: ReactNode;
}

/** One question with one input. A refusal empties the input and keeps the same attempt. */
export function AnswerForm({
  login,
  state,
  onClose,
  icon: Icon,
  question,
  label,
  hint,
  secret = false,
  input,
  validate,
  toAnswer,
  children,
}: AnswerFormProps) {
  const { register, handleSubmit, formState, resetField, setFocus } = useForm({ defaultValues: { value: '' } });
  const { step } = login;
  /** Something else than this answer is under way: another code. */
  const resending = step.isPending && (step.variables.to === 'resend' || step.variables.to === 'recover');
  const submit = handleSubmit(({ value }) =>
    step.mutate(toAnswer(value), {
      onError: () => {
        resetField('value');
        setFocus('value');
      },
    }),
  );
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <p className="mb-4 flex gap-2.5 text-sm text-ink-2">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0" />
        <span>{question}</span>
      </p>
      <Field label={label} error={formState.errors.value?.message} hint={hint}>
        {(wiring) =>
          secret ? (
            <SecretInput {...wiring} autoFocus {...register('value', { validate })} />
          ) : (
            <Input {...wiring} autoFocus {...input} {...register('value', { validate })} />
          )
        }
      </Field>
      <Refusal thrown={step.error} lastError={state.last_error} />
      {children !== undefined && <div className="mt-3">{children}</div>}
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
