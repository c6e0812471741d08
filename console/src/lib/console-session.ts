import { useMutation, useQuery, useQueryClient, type QueryClient, type UseQueryResult } from '@tanstack/react-query';
import { fetchClient, setCsrfToken } from './api';
import { ApiError } from './api-error';
import { forgetCalls } from './call-history';
import { uploadQueue } from './uploads';

/** Why nobody is signed in, so that the sign-in page can say it. */
export type SignedOutReason = 'first-visit' | 'expired' | 'signed-out';

/** Whether this browser holds a console session. The master token itself is never kept. */
export type ConsoleSession =
  | { readonly signedIn: true; readonly expiresAt: string }
  | { readonly signedIn: false; readonly reason: SignedOutReason };

const KEY = ['console-session'] as const;

/** Forgets everything that was loaded and shows the sign-in page with `reason`; a second call changes nothing. */
export function endConsoleSession(client: QueryClient, reason: SignedOutReason): void {
  const current = client.getQueryData<ConsoleSession>(KEY);
  if (current?.signedIn === false) return;
  setCsrfToken(undefined);
  const ended: ConsoleSession = { signedIn: false, reason };
  client.setQueryData<ConsoleSession>(KEY, ended);
  client.removeQueries({ predicate: (query) => query.queryKey[0] !== KEY[0] });
}

function beginConsoleSession(answer: { csrf_token: string; expires_at: string }): ConsoleSession {
  setCsrfToken(answer.csrf_token);
  return { signedIn: true, expiresAt: answer.expires_at };
}

async function resume(): Promise<ConsoleSession> {
  try {
    const { data } = await fetchClient.GET('/v1/console/session');
    return data ? beginConsoleSession(data.result) : { signedIn: false, reason: 'first-visit' };
  } catch (thrown) {
    if (thrown instanceof ApiError && thrown.endsConsoleSession) return { signedIn: false, reason: 'first-visit' };
    throw thrown;
  }
}

/** Asks the server once whether the cookie of an earlier visit still holds. */
export function useConsoleSession(): UseQueryResult<ConsoleSession> {
  return useQuery({
    queryKey: KEY,
    queryFn: resume,
    staleTime: Infinity,
    gcTime: Infinity,
    refetchOnWindowFocus: false,
  });
}

/** Trades the master token for the cookie; the token lives only as long as this call. */
export function useSignIn() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async (token: string) => {
      const { data } = await fetchClient.POST('/v1/console/session', { body: { token } });
      if (!data)
        throw new ApiError({ message: 'The server answered without a session.', status: 500, source: 'gateway' });
      return beginConsoleSession(data.result);
    },
    onSuccess: (session) => client.setQueryData<ConsoleSession>(KEY, session),
  });
}

/** Ends the session at the server; the page is cleared even when the server cannot be told. */
export function useSignOut() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: async () => {
      await fetchClient.DELETE('/v1/console/session');
    },
    onSettled: () => {
      // Whoever uses this browser next has no business with what was called.
      forgetCalls();
      uploadQueue.forget();
      endConsoleSession(client, 'signed-out');
    },
  });
}
