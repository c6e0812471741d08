'use client';

import { useForm } from 'react-hook-form';
import { Info } from 'lucide-react';
import { Mark } from '@/components/brand';
import { Button } from '@/components/ui/button';
import { Field, SecretInput } from '@/components/ui/field';
import { RequestId } from '@/components/ui/states';
import { ApiError } from '@/lib/api-error';
import { useConsoleSession, useSignIn, type SignedOutReason } from '@/lib/console-session';

const NOTICE: Record<SignedOutReason, string | undefined> = {
  'first-visit': undefined,
  expired: 'You were signed out: the server no longer accepts this session. It ended, or the API token was changed.',
  'signed-out': 'You are signed out.',
};

/** Trades the API token for a console session. The token is cleared from the form whatever the answer is. */
export function SignInPage() {
  const session = useConsoleSession();
  const reason = session.data?.signedIn === false ? session.data.reason : 'first-visit';
  const signIn = useSignIn();
  const { register, handleSubmit, formState, resetField, setFocus } = useForm({ defaultValues: { token: '' } });
  const failure = signIn.isError ? ApiError.from(signIn.error) : undefined;
  const wrongToken = failure?.status === 401;
  const notice = NOTICE[reason];

  const submit = handleSubmit(({ token }) =>
    signIn.mutate(token.trim(), {
      onError: () => {
        resetField('token');
        setFocus('token');
      },
    }),
  );

  return (
    <main className="grid min-h-dvh place-items-center px-4 py-10">
      <div className="w-full max-w-sm">
        <div className="mb-7 flex flex-col items-center text-center">
          <Mark className="size-11" />
          <h1 className="mt-4 text-xl font-semibold tracking-[-0.02em]">Sign in to tgcontrol</h1>
          <p className="mt-1 text-sm text-ink-2">Your Telegram accounts and bots, behind one API.</p>
        </div>
        {notice !== undefined && !signIn.isError && (
          <p role="status" className="mb-4 flex gap-2.5 rounded-lg bg-info-soft px-3.5 py-3 text-sm text-info">
            <Info aria-hidden className="mt-0.5 size-4 shrink-0" />
            {notice}
          </p>
        )}
        <form
          onSubmit={(event) => void submit(event)}
          noValidate
          className="rounded-xl border border-line bg-surface p-5 shadow-lift"
        >
          <Field
            label="API token"
            error={
              formState.errors.token?.message ??
              (wrongToken ? 'This token is not the one the server was started with.' : failure?.message)
            }
            hint={
              <>
                The master token, <code className="font-mono">API_TOKEN</code>. Started without one? It was printed once
                at the first start; later starts print the file that holds it.
              </>
            }
          >
            {(wiring) => (
              <SecretInput
                {...wiring}
                autoFocus
                {...register('token', { validate: (value) => value.trim() !== '' || 'Enter the API token.' })}
              />
            )}
          </Field>
          {failure && (
            <div className="mt-2">
              <RequestId id={failure.requestId} />
            </div>
          )}
          <Button type="submit" tone="primary" pending={signIn.isPending} className="mt-5 w-full">
            Sign in
          </Button>
        </form>
        <p className="mt-4 text-center text-xs text-ink-3">
          The token is not kept in this browser; a cookie that scripts cannot read takes its place.
        </p>
      </div>
    </main>
  );
}
