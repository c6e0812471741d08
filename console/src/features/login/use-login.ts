import { useMutation, useQueryClient } from '@tanstack/react-query';
import { $api, fetchClient } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { useRefresh, useSession } from '@/lib/queries';
import type { SessionDetails } from '@/lib/types';

const POLL_MS = 2_000;

/** What the person answers to the question that Telegram asks now. */
export type Answer =
  | { readonly to: 'code'; readonly code: string }
  | { readonly to: 'password'; readonly password: string }
  | { readonly to: 'email'; readonly email: string }
  | { readonly to: 'email-code'; readonly code: string }
  | { readonly to: 'registration'; readonly firstName: string; readonly lastName: string }
  | { readonly to: 'resend' }
  /** The password is forgotten: have a code sent by mail. */
  | { readonly to: 'recover' }
  /** That code, and the password from then on; an empty one leaves the account without. */
  | { readonly to: 'recover-code'; readonly code: string; readonly newPassword: string; readonly newHint: string }
  /** Begin anew, under the same id, for a login that has ended. */
  | { readonly to: 'begin'; readonly method: 'phone' | 'qr' };

function post(id: string, answer: Answer) {
  const params = { path: { id } };
  switch (answer.to) {
    case 'code':
      return fetchClient.POST('/v1/user/{id}/login/code', { params, body: { code: answer.code } });
    case 'password':
      return fetchClient.POST('/v1/user/{id}/login/password', { params, body: { password: answer.password } });
    case 'email':
      return fetchClient.POST('/v1/user/{id}/login/email', { params, body: { email: answer.email } });
    case 'email-code':
      return fetchClient.POST('/v1/user/{id}/login/email-code', { params, body: { code: answer.code } });
    case 'registration':
      return fetchClient.POST('/v1/user/{id}/login/register', {
        params,
        body: { first_name: answer.firstName, last_name: answer.lastName },
      });
    case 'recover':
      return fetchClient.POST('/v1/user/{id}/login/recover', { params, body: {} });
    case 'recover-code':
      return fetchClient.POST('/v1/user/{id}/login/recover', {
        params,
        body: {
          code: answer.code,
          ...(answer.newPassword === '' ? {} : { new_password: answer.newPassword }),
          ...(answer.newHint === '' ? {} : { new_hint: answer.newHint }),
        },
      });
    case 'begin':
      return fetchClient.POST('/v1/user/{id}/login', { params, body: { method: answer.method } });
    case 'resend':
      return fetchClient.POST('/v1/user/{id}/login/resend', { params });
  }
}

/**
 * One login in progress: its state, followed every two seconds, and its steps.
 *
 * While a step is under way the state is not asked for, and an answer already on its way is dropped: an older state must
 * never overwrite the newer one that the step brings.
 */
export function useLogin(id: string) {
  const client = useQueryClient();
  const refresh = useRefresh();
  const { queryKey } = $api.queryOptions('get', '/v1/{kind}/{id}', { params: { path: { kind: 'user', id } } });

  const step = useMutation({
    mutationFn: async (answer: Answer) => {
      const { data } = await post(id, answer);
      if (data) return data.result;
      throw new ApiError({ message: 'The server answered without a state.', status: 500, source: 'gateway' });
    },
    onMutate: () => client.cancelQueries({ queryKey }),
    onSuccess: (state) => {
      client.setQueryData<{ ok: true; result: SessionDetails }>(
        queryKey,
        (old) => old && { ...old, result: { ...old.result, ...state } },
      );
    },
    // Not waited for: the next question is on the screen already, and its button would refuse an answer until then.
    onSettled: () => void refresh.sessions(),
  });
  const discard = useMutation({
    mutationFn: () => fetchClient.DELETE('/v1/user/{id}/login', { params: { path: { id } } }),
    onSuccess: () => client.removeQueries({ queryKey }),
    onSettled: () => refresh.sessions(),
  });
  const session = useSession('user', id, step.isPending || discard.isPending || discard.isSuccess ? false : POLL_MS);
  return { session, step, discard };
}

/** One login as its dialog uses it. */
export type Login = ReturnType<typeof useLogin>;
