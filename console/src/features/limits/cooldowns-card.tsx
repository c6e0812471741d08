import { Hourglass, LockOpen } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Dialog, DialogActions } from '@/components/ui/dialog';
import { Field, Input } from '@/components/ui/field';
import { Progress } from '@/components/ui/progress';
import { RelativeTime } from '@/components/ui/relative-time';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { useNow } from '@/lib/clock';
import { useRefresh } from '@/lib/queries';
import { explainRefusal } from '@/lib/refusals';
import type { SessionRef } from '@/lib/td';
import { formatCountdown } from '@/lib/time';
import type { Cooldown, Lift } from '@/lib/types';
import { scopeWord } from './limit-words';

interface CooldownsCardProps {
  session: SessionRef;
  cooldowns: readonly Cooldown[];
  /** What was ended early, newest first. */
  lifts: readonly Lift[];
  /** When the server told them, in milliseconds: from then on they count down here, whatever this clock shows. */
  toldAt: number;
}

/** What Telegram has closed for a while, until when, and why. */
export function CooldownsCard({ session, cooldowns, lifts, toldAt }: CooldownsCardProps) {
  const [lifting, setLifting] = useState<Cooldown>();
  return (
    <Card
      title="Cooldowns"
      description="What Telegram has closed for a while. Calls of it are refused here, so that Telegram does not lengthen it."
      flush
    >
      {cooldowns.length === 0 ? (
        <p className="flex items-center gap-2.5 border-t border-line px-4 py-4 text-sm text-ink-2 sm:px-5">
          <Hourglass aria-hidden className="size-4 shrink-0 text-ink-3" />
          {session.kind === 'bot'
            ? 'Bots have none: their callers are told by Telegram itself how long to wait.'
            : 'Nothing is closed. When Telegram asks the account to wait, it is seen here with its reason.'}
        </p>
      ) : (
        <ul aria-label="Cooldowns" className="divide-y divide-line border-t border-line">
          {cooldowns.map((cooldown) => (
            <CooldownRow key={cooldown.scope} cooldown={cooldown} toldAt={toldAt} onLift={() => setLifting(cooldown)} />
          ))}
        </ul>
      )}
      {lifts.length > 0 && <Lifts lifts={lifts} />}
      {lifting && <LiftDialog session={session} cooldown={lifting} onClose={() => setLifting(undefined)} />}
    </Card>
  );
}

/** What somebody has ended early, and why: who looks into a new one wants to know. */
function Lifts({ lifts }: { lifts: readonly Lift[] }) {
  return (
    <details className="border-t border-line px-4 py-3 sm:px-5">
      <summary className="cursor-pointer text-xs font-medium text-ink-2 hover:text-ink">
        Lifted early ({lifts.length})
      </summary>
      <ul aria-label="Lifted early" className="mt-2 flex flex-col gap-1.5 text-xs">
        {lifts.map(({ scope, at, reason }) => (
          <li key={scope} className="break-words text-ink-2">
            <span className="font-semibold text-ink">{scopeWord(scope)}</span> <RelativeTime at={at} />
            {reason === undefined ? ', without a reason' : `: ${reason}`}
          </li>
        ))}
      </ul>
    </details>
  );
}

interface CooldownRowProps {
  cooldown: Cooldown;
  toldAt: number;
  onLift: () => void;
}

function CooldownRow({ cooldown, toldAt, onLift }: CooldownRowProps) {
  const left = cooldown.retry_after - Math.max(0, useNow() - toldAt) / 1_000;
  const whole = (Date.parse(cooldown.until) - Date.parse(cooldown.started_at)) / 1_000;
  const { sentence, words } = explainRefusal(cooldown.reason);
  const name = scopeWord(cooldown.scope);
  return (
    <li className="px-4 py-3.5 sm:px-5">
      <div className="flex items-start gap-4">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-baseline gap-x-2.5 text-sm font-semibold">
            {name}
            {name !== cooldown.scope && (
              <code className="font-mono text-xs font-normal text-ink-3">{cooldown.scope}</code>
            )}
          </p>
          <p className="mt-0.5 text-xs break-words text-ink-2">
            {sentence !== undefined && `${sentence} `}
            <code className="font-mono">{words}</code>
          </p>
          <p className="mt-0.5 text-xs text-ink-3">
            since <RelativeTime at={cooldown.started_at} />
          </p>
        </div>
        <div className="text-right">
          <p role="timer" aria-label={`Left of ${name}`} className="tabular text-lg font-semibold text-wait">
            {formatCountdown(left)}
          </p>
          <Button size="sm" className="mt-1" onClick={onLift} aria-label={`Lift ${name}`}>
            <LockOpen aria-hidden />
            Lift…
          </Button>
        </div>
      </div>
      <div className="mt-2.5">
        <Progress label={`Waited of ${name}`} value={whole - left} max={whole} tone="wait" />
      </div>
    </li>
  );
}

interface LiftDialogProps {
  session: SessionRef;
  cooldown: Cooldown;
  onClose: () => void;
}

/** Ends a cooldown early, with the reason for those who come after. */
function LiftDialog({ session: { kind, id }, cooldown: { scope }, onClose }: LiftDialogProps) {
  const refresh = useRefresh();
  const lift = $api.useMutation('delete', '/v1/{kind}/{id}/limits/cooldowns/{scope}');
  const [reason, setReason] = useState('');
  const [isMissing, setIsMissing] = useState(false);
  const submit = (): void => {
    const given = reason.trim();
    setIsMissing(given === '');
    if (given === '') return;
    lift.mutate(
      { params: { path: { kind, id, scope }, query: { reason: given } } },
      {
        onSuccess: () => {
          void refresh.limits();
          toast.success(`${scopeWord(scope)} is open again.`);
          onClose();
        },
      },
    );
  };
  return (
    <Dialog title={`Lift ${scopeWord(scope)}?`} description="Calls go to Telegram again from now on." onClose={onClose}>
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
      >
        <p className="rounded-lg bg-wait-soft px-3.5 py-3 text-sm text-wait">
          Telegram is not told. If it still refuses, it closes this again, mostly for longer, and an account that goes
          on is nearer to being limited.
        </p>
        <Field
          label="Reason"
          className="mt-4"
          error={isMissing ? 'Say why, for those who look into it later.' : undefined}
          hint="Goes to the audit log, and is shown here."
        >
          {(wiring) => (
            <Input
              {...wiring}
              autoFocus
              maxLength={500}
              value={reason}
              onChange={(event) => setReason(event.target.value)}
              placeholder="@SpamBot says that the limit is over"
            />
          )}
        </Field>
        <ErrorNote className="mt-4" error={lift.error} lead="It was not lifted." />
        <DialogActions>
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" pending={lift.isPending}>
            Lift it
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}
