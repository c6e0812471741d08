import { CircleStop, Eraser, Hammer, SearchCheck, WandSparkles, type LucideIcon } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { MenuItem, RowMenu } from '@/components/ui/menu';
import { Progress } from '@/components/ui/progress';
import { RelativeTime } from '@/components/ui/relative-time';
import { EmptyState, ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { formatBytes } from '@/lib/bytes';
import { usePoolJobs, useRefresh } from '@/lib/queries';
import type { Pool, PoolJob } from '@/lib/types';
import { PurgeDialog, ScrubDialog } from './job-dialogs';
import { JOB_KIND, JOB_STATE, PROBLEM, isOver } from './job-states';
import { visible } from './object-name';

/** Long work on what a pool keeps: what runs, how far it is, and what came of what ran before. */
export function JobsTab({ pool }: { pool: Pool }) {
  const refresh = useRefresh();
  const jobs = usePoolJobs(pool.id);
  const collect = $api.useMutation('post', '/v1/pools/{pool}/jobs');
  const [asked, setAsked] = useState<'scrub' | 'purge'>();
  const close = (): void => setAsked(undefined);
  const isBusy = jobs.data?.some((job) => !isOver(job)) === true;
  return (
    <Card
      title="Jobs"
      description="One runs at a time, and goes on whatever becomes of this page or of a worker."
      flush
      aside={
        <div className="flex flex-wrap gap-2">
          <Starter icon={SearchCheck} isBusy={isBusy} onStart={() => setAsked('scrub')}>
            Check
          </Starter>
          <Starter
            icon={WandSparkles}
            isBusy={isBusy}
            pending={collect.isPending}
            onStart={() =>
              collect.mutate(
                { params: { path: { pool: pool.id } }, body: { kind: 'gc' } },
                { onSuccess: () => void refresh.poolJobs() },
              )
            }
          >
            Collect
          </Starter>
          <Starter icon={Eraser} isBusy={isBusy} onStart={() => setAsked('purge')}>
            Remove objects
          </Starter>
        </div>
      }
    >
      <ErrorNote className="m-4" error={collect.error} lead="It was not begun." />
      {jobs.isPending ? (
        <LoadingRows what="jobs" rows={2} />
      ) : jobs.isLoadingError ? (
        <LoadFailed what="jobs" error={jobs.error} onRetry={jobs.refetch} />
      ) : jobs.data.length === 0 ? (
        <EmptyState icon={Hammer} title="No jobs yet">
          A check compares what is in Telegram with what was stored; collecting deletes messages that nothing uses.
        </EmptyState>
      ) : (
        <ul aria-label="Jobs" className="divide-y divide-line border-t border-line">
          {jobs.data.map((job) => (
            <JobRow key={job.id} pool={pool} job={job} />
          ))}
        </ul>
      )}
      {asked === 'scrub' && <ScrubDialog pool={pool} onClose={close} />}
      {asked === 'purge' && <PurgeDialog pool={pool} onClose={close} />}
    </Card>
  );
}

interface StarterProps {
  icon: LucideIcon;
  isBusy: boolean;
  pending?: boolean;
  onStart: () => void;
  children: string;
}

function Starter({ icon: Icon, isBusy, pending = false, onStart, children }: StarterProps) {
  return (
    <Button
      size="sm"
      pending={pending}
      disabled={isBusy}
      title={isBusy ? 'Another job of the pool has not ended' : undefined}
      onClick={onStart}
    >
      {!pending && <Icon aria-hidden />}
      {children}
    </Button>
  );
}

function JobRow({ pool, job }: { pool: Pool; job: PoolJob }) {
  const refresh = useRefresh();
  const cancel = $api.useMutation('delete', '/v1/pools/{pool}/jobs/{id}');
  const { word, icon: Icon } = JOB_KIND[job.kind];
  const state = JOB_STATE[job.state];
  const stop = (): void =>
    cancel.mutate(
      { params: { path: { pool: pool.id, id: job.id } } },
      {
        onSuccess: () => void refresh.poolJobs(),
        onError: (thrown) => void toast.error(`It was not stopped. ${ApiError.from(thrown).message}`),
      },
    );
  return (
    <li aria-label={word} className="px-4 py-3.5 sm:px-5">
      <div className="flex items-start gap-3">
        <Icon aria-hidden className="mt-0.5 size-4 shrink-0 text-ink-3" />
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm font-semibold">
            {word}
            <Badge tone={state.tone} icon={state.icon}>
              {state.word}
            </Badge>
          </p>
          <p className="tabular mt-0.5 flex flex-wrap gap-x-3 text-xs text-ink-2">
            <RelativeTime at={job.created_at} />
            {job.sample !== undefined && <span>reads {job.sample} %</span>}
            {job.kind === 'purge' && (
              <span className="min-w-0 break-all">{job.prefix === undefined ? 'everything' : job.prefix}</span>
            )}
            <span>
              {job.done}
              {job.total !== undefined && ` of ${job.total}`} done
            </span>
            {Object.entries(job.counts).map(([name, count]) => (
              <span key={name}>{name === 'bytes' ? `${formatBytes(count)} read` : `${count} ${countWord(name)}`}</span>
            ))}
          </p>
        </div>
        {!isOver(job) && (
          <RowMenu label={`Actions for ${word}`}>
            <MenuItem icon={CircleStop} danger onSelect={stop}>
              Stop it
            </MenuItem>
          </RowMenu>
        )}
      </div>
      {!isOver(job) && job.total !== undefined && job.total > 0 && (
        <div className="mt-2.5">
          <Progress label={`Done of ${word}`} value={job.done} max={job.total} />
        </div>
      )}
      {job.error !== undefined && <p className="mt-2 text-xs break-words text-bad">{job.error}</p>}
      {job.findings.length > 0 && <Findings findings={job.findings} />}
    </li>
  );
}

/** As the API names them, but for what is two words. */
function countWord(name: string): string {
  return name === 'not_possible' ? 'that bots may not delete any more' : name;
}

function Findings({ findings }: { findings: PoolJob['findings'] }) {
  return (
    <details className="mt-2.5 rounded-lg bg-bad-soft px-3.5 py-3 text-xs text-bad" open>
      <summary className="cursor-pointer font-semibold">
        {findings.length === 1 ? 'One message is' : `${findings.length} messages are`} not what was stored
      </summary>
      <ul aria-label="Findings" className="mt-2 flex flex-col gap-2">
        {findings.map(({ chat_id: chat, message_id: message, problem, reason, keys }) => (
          <li key={`${chat} ${message}`} className="break-words">
            <strong className="font-semibold">{PROBLEM[problem]}</strong>: message {message} in {chat}, {reason}
            {keys.length > 0 && <span className="break-all"> ({keys.map(visible).join(', ')})</span>}
          </li>
        ))}
      </ul>
    </details>
  );
}
