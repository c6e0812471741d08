import { toast } from 'sonner';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { useRefresh } from '@/lib/queries';
import type { Pool } from '@/lib/types';
import { REMOTE_WORDS } from './pool-states';

/** Acts on a pool that need no question, with what came of them said at the bottom of the page. */
export function usePoolActs(pool: Pool) {
  const refresh = useRefresh();
  const update = $api.useMutation('patch', '/v1/pools/{pool}');
  const verify = $api.useMutation('post', '/v1/pools/{pool}/verify');
  const collect = $api.useMutation('post', '/v1/pools/{pool}/collect');
  const params = { path: { pool: pool.id } };
  const failed = (lead: string) => (thrown: unknown) => void toast.error(`${lead} ${ApiError.from(thrown).message}`);
  return {
    isPausing: update.isPending,
    togglePause: () =>
      update.mutate(
        { params, body: { paused: !pool.paused } },
        {
          onSuccess: ({ result }) => {
            void refresh.pools();
            toast.success(result.paused ? `${result.name} is paused.` : `${result.name} goes on.`);
          },
          onError: failed(`${pool.name} was not changed.`),
        },
      ),
    isVerifying: verify.isPending,
    verify: () =>
      verify.mutate(
        { params },
        {
          onSuccess: ({ result: { bots } }) => {
            void refresh.pools();
            const aside = bots.filter(({ state }) => state === 'quarantined').length;
            if (aside === 0) toast.success('Every bot may do its work.');
            else toast.warning(`${aside} of ${bots.length} bots cannot do their work.`);
          },
          onError: failed('The bots could not be asked.'),
        },
      ),
    collect: () =>
      collect.mutate(
        { params },
        {
          onSuccess: ({ result: { found, remote } }) => {
            if (found === 0) toast.success('Nothing was left over.');
            else toast.info(`${found} ${found === 1 ? 'message' : 'messages'} left over. ${REMOTE_WORDS[remote]}`);
          },
          onError: failed('Nothing was collected.'),
        },
      ),
  };
}
