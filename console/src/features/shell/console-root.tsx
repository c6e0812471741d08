'use client';

import { QueryClientProvider } from '@tanstack/react-query';
import { RotateCw } from 'lucide-react';
import { Suspense, useState, type ReactNode } from 'react';
import { Toaster } from 'sonner';
import { Mark } from '@/components/brand';
import { Button } from '@/components/ui/button';
import { RequestId } from '@/components/ui/states';
import { ApiError } from '@/lib/api-error';
import { useConsoleSession } from '@/lib/console-session';
import { createQueryClient } from '@/lib/query-client';
import { Shell } from './shell';

interface ConsoleRootProps {
  children: ReactNode;
  /** Dialogs that every page can open. */
  overlays: ReactNode;
  /** What is shown instead of the console while nobody is signed in. */
  signIn: ReactNode;
}

/** Everything around the pages: the cache, the gate, the shell, and the messages. */
export function ConsoleRoot(props: ConsoleRootProps) {
  const [client] = useState(createQueryClient);
  return (
    <QueryClientProvider client={client}>
      <Suspense>
        <Gate {...props} />
      </Suspense>
      <Toaster
        position="bottom-right"
        mobileOffset={{ bottom: 72 }}
        toastOptions={{
          unstyled: true,
          classNames: {
            toast:
              'flex w-full items-start gap-3 rounded-lg border border-line bg-surface px-4 py-3 text-sm text-ink shadow-float sm:w-[22rem]',
            description: 'text-ink-2',
          },
        }}
      />
    </QueryClientProvider>
  );
}

function Gate({ children, overlays, signIn }: ConsoleRootProps) {
  const session = useConsoleSession();
  if (session.isPending) {
    return (
      <div role="status" className="grid min-h-dvh place-items-center">
        <Mark className="size-10 animate-pulse" />
        <span className="sr-only">Opening the console…</span>
      </div>
    );
  }
  if (session.isError) return <Unreachable error={session.error} onRetry={() => void session.refetch()} />;
  if (!session.data.signedIn) return signIn;
  return <Shell overlays={overlays}>{children}</Shell>;
}

function Unreachable({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  const failure = ApiError.from(error);
  return (
    <main className="grid min-h-dvh place-items-center px-6">
      <div role="alert" className="flex max-w-sm flex-col items-center text-center">
        <Mark className="mb-5 size-10" />
        <h1 className="text-lg font-semibold">The gateway does not answer</h1>
        <p className="mt-1 text-sm text-ink-2">{failure.message}</p>
        <div className="mt-2">
          <RequestId id={failure.requestId} />
        </div>
        <Button tone="primary" className="mt-5" onClick={onRetry}>
          <RotateCw aria-hidden />
          Try again
        </Button>
      </div>
    </main>
  );
}
