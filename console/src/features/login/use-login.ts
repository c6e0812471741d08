import { useMutation, useQueryClient } from '@tanstack/react-query';
import { $api, fetchClient } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { useRefresh, useSession } from '@/lib/queries';
import type { LoginState, SessionDetails } from '@/lib/types';

const POLL_MS = 2_000;

type Step = { readonly code: string } | { readonly password: string } | 'resend';

async function send(id: string, step: Step): Promise<LoginState> {
  const params = { path: { id } };
  const { data } =
    step === 'resend'
      ? await fetchClient.POST('/v1/user/{id}/login/resend', { params })
      : 'code' in step
        ? await fetchClient.POST('/v1/user/{id}/login/code', { params, body: step })
        : await fetchClient.POST('/v1/user/{id}/login/password', { params, body: step });
  if (!data) throw new ApiError({ message: 'The server answered without a state.', status: 500, source: 'gateway' });
  return data.result;
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
    mutationFn: (next: Step) => send(id, next),
    onMutate: () => client.cancelQueries({ queryKey }),
    onSuccess: (state) => {
      client.setQueryData<{ ok: true; result: SessionDetails }>(
        queryKey,
        (old) => old && { ...old, result: { ...old.result, ...state } },
      );
    },
    onSettled: () => refresh.sessions(),
  });
  const discard = useMutation({
    mutationFn: () => fetchClient.DELETE('/v1/{kind}/{id}', { params: { path: { kind: 'user', id } } }),
    onSuccess: () => client.removeQueries({ queryKey }),
    onSettled: () => refresh.sessions(),
  });
  const session = useSession('user', id, step.isPending || discard.isPending || discard.isSuccess ? false : POLL_MS);
  return { session, step, discard };
}
