import { CirclePause, LockOpen, LogOut, Play, Plus, ShieldCheck } from 'lucide-react';
import Link from 'next/link';
import { useState, type ReactNode } from 'react';
import { toast } from 'sonner';
import { KindMark } from '@/components/session/name';
import { useSessionNames } from '@/components/session/use-session-names';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmCancel, ConfirmDialog } from '@/components/ui/dialog';
import { MenuItem, RowMenu } from '@/components/ui/menu';
import { Progress } from '@/components/ui/progress';
import { RelativeTime } from '@/components/ui/relative-time';
import { EmptyState, ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { formatBytes } from '@/lib/bytes';
import { useNow } from '@/lib/clock';
import { sessionHref } from '@/lib/overlays';
import { useRefresh } from '@/lib/queries';
import { formatCountdown } from '@/lib/time';
import type { Pool, PoolBotStatus } from '@/lib/types';
import { AddBotsDialog } from './pool-dialogs';
import { adviceFor, BOT_STATE, OF_PAUSED_POOL } from './pool-states';

type PoolBot = Pool['bots'][number];

interface BotsCardProps {
  pool: Pool;
  /** By the worker that runs the pool; absent while nobody does. */
  live: readonly PoolBotStatus[] | undefined;
  isVerifying: boolean;
  onVerify: () => void;
}

/** The bots of a pool: what each does, what keeps it, and what can be done about it. */
export function BotsCard({ pool, live, isVerifying, onVerify }: BotsCardProps) {
  const [adding, setAdding] = useState(false);
  const [removing, setRemoving] = useState<string>();
  return (
    <Card
      title="Bots"
      flush
      aside={
        <div className="flex flex-wrap gap-2">
          <Button size="sm" pending={isVerifying} onClick={onVerify} title="Ask Telegram what each bot may do">
            {!isVerifying && <ShieldCheck aria-hidden />}
            Verify
          </Button>
          <Button size="sm" onClick={() => setAdding(true)}>
            <Plus aria-hidden />
            Add bots
          </Button>
        </div>
      }
    >
      {pool.bots.length === 0 ? (
        <EmptyState icon={Plus} title="No bots">
          Nothing can be stored or read until the pool has a bot.
        </EmptyState>
      ) : (
        <ul aria-label="Bots" className="divide-y divide-line border-t border-line">
          {pool.bots.map((bot) => (
            <BotRow
              key={bot.session_id}
              pool={pool}
              bot={bot}
              live={live?.find(({ session_id: id }) => id === bot.session_id)}
              onVerify={onVerify}
              onRemove={() => setRemoving(bot.session_id)}
            />
          ))}
        </ul>
      )}
      {adding && <AddBotsDialog pool={pool} onClose={() => setAdding(false)} />}
      {removing !== undefined && (
        <RemoveBotDialog pool={pool} sessionId={removing} onClose={() => setRemoving(undefined)} />
      )}
    </Card>
  );
}

interface BotRowProps {
  pool: Pool;
  bot: PoolBot;
  live: PoolBotStatus | undefined;
  onVerify: () => void;
  onRemove: () => void;
}

function BotRow({ pool, bot, live, onVerify, onRemove }: BotRowProps) {
  const refresh = useRefresh();
  const name = useSessionNames()(bot.session_id);
  const change = $api.useMutation('patch', '/v1/pools/{pool}/bots/{id}');
  const lift = $api.useMutation('delete', '/v1/pools/{pool}/bots/{id}/cooldown');
  const params = { path: { pool: pool.id, id: bot.session_id } };
  // What somebody has just changed is in the registry before the worker follows it.
  const state = bot.state === 'active' ? (live?.state ?? 'active') : bot.state;
  const isHeld = pool.paused && (state === 'active' || state === 'idle');
  const look = isHeld ? OF_PAUSED_POOL : state === 'active' ? undefined : BOT_STATE[state];
  const reason = bot.reason ?? live?.reason;
  const done = (said: string) => ({
    onSuccess: () => {
      void refresh.pools();
      toast.success(said);
    },
    onError: (thrown: unknown) => void toast.error(`${name} was not changed. ${ApiError.from(thrown).message}`),
  });
  const isPaused = bot.state === 'paused';
  return (
    <li aria-label={name} className="px-4 py-3.5 sm:px-5">
      <div className="flex items-start gap-3">
        <KindMark kind="bot" />
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm font-semibold">
            <Link href={sessionHref({ id: bot.session_id })} className="min-w-0 truncate hover:text-accent-ink">
              {name}
            </Link>
            {look && (
              <Badge tone={look.tone} icon={look.icon} title={look.explain}>
                {look.word}
              </Badge>
            )}
          </p>
          {live && <Numbers live={live} />}
        </div>
        {live?.rate_limited_until !== undefined && (
          <Button
            size="sm"
            pending={lift.isPending}
            aria-label={`End the rest of ${name}`}
            title="Telegram is not told: it may refuse again, and for longer"
            onClick={() => lift.mutate({ params }, done(`${name} sends again.`))}
          >
            {!lift.isPending && <LockOpen aria-hidden />}
            <span className="hidden sm:inline">End the rest</span>
          </Button>
        )}
        <RowMenu label={`Actions for ${name}`}>
          <MenuItem
            icon={isPaused ? Play : CirclePause}
            onSelect={() =>
              change.mutate(
                { params, body: { state: isPaused ? 'active' : 'paused' } },
                done(isPaused ? `${name} works again.` : `${name} is paused.`),
              )
            }
          >
            {isPaused ? 'Resume' : 'Pause'}
          </MenuItem>
          <MenuItem icon={LogOut} danger onSelect={onRemove}>
            Take out
          </MenuItem>
        </RowMenu>
      </div>
      {live?.running && <Running running={live.running} />}
      {state === 'cooling' && live?.rate_limited_until !== undefined && (
        <Countdown what="Telegram lets it send again in" name={name} until={live.rate_limited_until} />
      )}
      {state === 'budget' && live?.eligible_at !== undefined && (
        <Countdown what="Its next message may go in" name={name} until={live.eligible_at} />
      )}
      {state === 'quarantined' && reason !== undefined && (
        <Note>
          <p>
            <strong className="font-semibold">{reason}.</strong> {adviceFor(reason)}
          </p>
          <Button size="sm" className="mt-2" onClick={onVerify}>
            <ShieldCheck aria-hidden />
            Verify
          </Button>
        </Note>
      )}
    </li>
  );
}

function Numbers({ live: { budget, counters, last_ok_at: lastAt, last_error: lastError } }: { live: PoolBotStatus }) {
  return (
    <p className="tabular mt-0.5 flex flex-wrap gap-x-3 text-xs text-ink-2">
      <span title="Less than what was set while Telegram has refused of late">
        {budget.used} of {budget.of} messages in {budget.window_s} s
      </span>
      <span>
        {counters.ok} stored, {formatBytes(counters.bytes)}
      </span>
      {counters.rate > 0 && <span className="text-wait">{counters.rate} refused</span>}
      {lastAt !== undefined && (
        <span>
          last <RelativeTime at={lastAt} />
        </span>
      )}
      {lastError !== undefined && (
        <span className="min-w-0 break-words">
          last error: <code className="font-mono">{lastError}</code>
        </span>
      )}
    </p>
  );
}

function Running({ running }: { running: NonNullable<PoolBotStatus['running']> }) {
  const { bytes, sent, since } = running;
  return (
    <div className="mt-2.5">
      <Progress label="Part that is being sent" value={sent} max={bytes} />
      <p className="tabular mt-1 text-xs text-ink-2">
        {formatBytes(sent)} of {formatBytes(bytes)}, begun <RelativeTime at={since} />
      </p>
    </div>
  );
}

function Countdown({ what, name, until }: { what: string; name: string; until: string }) {
  const left = (Date.parse(until) - useNow()) / 1_000;
  return (
    <p className="mt-2 text-xs text-wait">
      {what}{' '}
      <span role="timer" aria-label={`Rest of ${name}`} className="tabular text-sm font-semibold">
        {formatCountdown(left)}
      </span>
    </p>
  );
}

function Note({ children }: { children: ReactNode }) {
  return <div className="mt-2.5 rounded-lg bg-bad-soft px-3.5 py-3 text-xs text-bad">{children}</div>;
}

interface RemoveBotDialogProps {
  pool: Pool;
  sessionId: string;
  onClose: () => void;
}

function RemoveBotDialog({ pool, sessionId, onClose }: RemoveBotDialogProps) {
  const refresh = useRefresh();
  const name = useSessionNames()(sessionId);
  const remove = $api.useMutation('delete', '/v1/pools/{pool}/bots/{id}');
  const take = (drain: boolean): void =>
    remove.mutate(
      { params: { path: { pool: pool.id, id: sessionId }, query: { drain } } },
      {
        onSuccess: () => {
          void refresh.pools();
          toast.success(`${name} leaves the pool.`);
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      title={`Take ${name} out of ${pool.name}?`}
      onClose={onClose}
      actions={
        <>
          <ConfirmCancel asChild>
            <Button>Keep it</Button>
          </ConfirmCancel>
          <Button pending={remove.isPending} onClick={() => take(false)}>
            Now
          </Button>
          <Button tone="danger" pending={remove.isPending} onClick={() => take(true)}>
            Once it has sent its part
          </Button>
        </>
      }
    >
      <p>
        It stays signed in, and what it has stored can be read by the other bots. Taken out now, the part that it sends
        goes to another bot.
      </p>
      <ErrorNote error={remove.error} lead="It was not taken out." />
    </ConfirmDialog>
  );
}
