import { useMutation } from '@tanstack/react-query';
import {
  Activity,
  HeartCrack,
  KeyRound,
  Play,
  RotateCw,
  Server,
  ShieldAlert,
  Snowflake,
  type LucideIcon,
} from 'lucide-react';
import Link from 'next/link';
import { useState, type ReactNode } from 'react';
import { sessionName } from '@/components/session/name';
import { HEALTH, STATUS, isLoggingIn, showsHealth } from '@/components/session/status';
import { Button } from '@/components/ui/button';
import { RelativeTime } from '@/components/ui/relative-time';
import { ErrorNote } from '@/components/ui/states';
import { TONE_CHIP, type Tone } from '@/components/ui/tone';
import { LoginAgainDialog } from '@/features/login';
import { ProxyTestResult, useProxyTest } from '@/features/proxies';
import { $api, fetchClient } from '@/lib/api';
import { cn } from '@/lib/cn';
import { useOverlays } from '@/lib/overlays';
import { useRefresh } from '@/lib/queries';
import { explainRefusal } from '@/lib/refusals';
import type { SessionStatus, SessionSummary } from '@/lib/types';

const told = (text: string | null | undefined): text is string => text !== undefined && text !== null && text !== '';

/**
 * What is wrong with the session: its state, its health and what Telegram has done to the account, each with its cause and the act
 * that leads on. Nothing while everything is well.
 */
export function NextStep({ session }: { session: SessionSummary }) {
  return (
    <>
      {session.status !== 'authorized' && <StateNotice session={session} />}
      {showsHealth(session) && session.health !== 'ok' && <HealthNotice session={session} />}
      {session.frozen && <FrozenNotice session={session} />}
      {session.spam_limited && (
        <Notice label="Spam limit" tone="wait" icon={ShieldAlert} title="Telegram limits this account">
          <p>
            It cannot write to strangers for now
            {session.spam_limited_until !== undefined && (
              <>
                , by our count until <RelativeTime at={session.spam_limited_until} />
              </>
            )}
            . @SpamBot tells more, also whether the limit can be lifted.
          </p>
        </Notice>
      )}
    </>
  );
}

/** What to do about an ended session, in a sentence. */
const WAY_OUT: Partial<Record<SessionStatus, string>> = {
  expired: 'Log in again; the session keeps its id and settings.',
  logged_out: 'Log in again; the session keeps its id and settings.',
  banned: 'If that is a mistake, write to recover@telegram.org. Once Telegram has lifted it, log in again here.',
  error: 'Log in again; the session keeps its id and settings. If it lasts, look into the server’s log.',
};

function StateNotice({ session }: { session: SessionSummary }) {
  const { openLogin } = useOverlays();
  const [again, setAgain] = useState(false);
  const meaning = STATUS[session.status];
  const way = WAY_OUT[session.status];
  // An operator's own stop has no cause but the operator.
  const cause = session.status === 'stopped' ? undefined : session.last_error;
  const action = isLoggingIn(session.kind, session.status) ? (
    <Button size="sm" tone="primary" onClick={() => openLogin(session.id)}>
      <KeyRound aria-hidden />
      Resume login
    </Button>
  ) : session.status === 'stopped' ? (
    <StartButton session={session} />
  ) : way !== undefined ? (
    <Button size="sm" tone={session.status === 'banned' ? 'plain' : 'primary'} onClick={() => setAgain(true)}>
      <KeyRound aria-hidden />
      Log in again
    </Button>
  ) : undefined;
  return (
    <Notice
      label="Next step"
      tone={meaning.tone}
      icon={meaning.icon}
      title={meaning.word}
      spin={meaning.spin === true}
      action={action}
    >
      <p>{meaning.explain}</p>
      {told(cause) && <Cause words={cause} />}
      {way !== undefined && <p className="mt-1">{way}</p>}
      {again && <LoginAgainDialog session={session} name={sessionName(session)} onClose={() => setAgain(false)} />}
    </Notice>
  );
}

function Cause({ words }: { words: string }) {
  const { sentence } = explainRefusal(words);
  return (
    <p className="mt-1">
      {sentence !== undefined && `${sentence} `}
      Last error: <code className="font-mono text-xs break-words">{words}</code>
    </p>
  );
}

/** The health is not ok: since when, why, and what can be done from here. */
function HealthNotice({ session }: { session: SessionSummary }) {
  const test = useProxyTest();
  const { proxy_id: proxyId } = session;
  const meaning = HEALTH[session.health];
  const cause = told(session.health_cause) ? session.health_cause : meaning.explain;
  const isOrphan = /no live worker/i.test(cause);
  // For the process that still has its files, or for memory on a worker.
  const isWaiting = /^waiting for |: waiting for memory/i.test(cause);
  return (
    <Notice
      label="Health"
      tone={meaning.tone}
      icon={session.health === 'down' ? HeartCrack : Activity}
      title={`Health: ${meaning.word}`}
      since={session.health_since}
      action={
        isOrphan || isWaiting ? (
          <Button asChild size="sm">
            <Link href="/workers/">
              <Server aria-hidden />
              Workers
            </Link>
          </Button>
        ) : proxyId !== undefined ? (
          <Button size="sm" pending={test.results[proxyId]?.state === 'running'} onClick={() => test.run(proxyId)}>
            <Activity aria-hidden />
            Test its proxy
          </Button>
        ) : session.status === 'authorized' ? (
          <RestartButton session={session} />
        ) : undefined
      }
    >
      <p>Cause: {cause}.</p>
      <p className="mt-1">
        {isWaiting
          ? 'It goes on by itself as soon as that has changed. Nothing of it is lost.'
          : isOrphan
            ? 'Another worker takes it over within seconds, when there is one that shares its files.'
            : proxyId === undefined
              ? 'The session keeps trying by itself. If it lasts, start its connection anew, or give it a proxy under Settings.'
              : 'The session keeps trying by itself. If its proxy does not answer, give it another one under Settings.'}
      </p>
      {proxyId !== undefined && <ProxyTestResult result={test.results[proxyId]} />}
    </Notice>
  );
}

/** Links of Telegram that lead to a web page or into its app; anything else is no link. */
const isLink = (text: string | undefined): text is string => text !== undefined && /^(https:\/\/|tg:\/\/)/.test(text);

function FrozenNotice({ session }: { session: SessionSummary }) {
  const { appeal_link: link } = session;
  return (
    <Notice
      label="Frozen"
      tone="bad"
      icon={Snowflake}
      title="Telegram has frozen this account"
      since={session.frozen_since}
      action={
        isLink(link) ? (
          <Button asChild size="sm" tone="primary">
            <a href={link} target="_blank" rel="noreferrer">
              Appeal
            </a>
          </Button>
        ) : undefined
      }
    >
      <p>It can still read, but not send or change anything.</p>
      {session.deletion_date !== undefined && (
        <p className="mt-1">
          Telegram deletes it{' '}
          <strong className="font-semibold text-ink">
            <RelativeTime at={session.deletion_date} />
          </strong>{' '}
          ({new Date(session.deletion_date).toLocaleDateString()}), unless its owner appeals.
        </p>
      )}
      <p className="mt-1">
        {isLink(link)
          ? 'The appeal has to be made from a Telegram app that is signed in to the account.'
          : 'Appeal from a Telegram app that is signed in to it: the app shows how.'}
      </p>
    </Notice>
  );
}

function StartButton({ session }: { session: SessionSummary }) {
  const refresh = useRefresh();
  const start = $api.useMutation('post', '/v1/{kind}/{id}/start');
  return (
    <div className="flex flex-col items-end gap-2">
      <Button
        size="sm"
        tone="primary"
        pending={start.isPending}
        onClick={() =>
          start.mutate(
            { params: { path: { kind: session.kind, id: session.id } } },
            { onSuccess: () => void refresh.sessions() },
          )
        }
      >
        {!start.isPending && <Play aria-hidden />}
        Start
      </Button>
      <ErrorNote error={start.error} lead="It was not started." />
    </div>
  );
}

/** Closes and opens the session: a new connection, without touching its authorization. */
function RestartButton({ session }: { session: SessionSummary }) {
  const refresh = useRefresh();
  const params = { path: { kind: session.kind, id: session.id } };
  const restart = useMutation({
    mutationFn: async () => {
      await fetchClient.POST('/v1/{kind}/{id}/stop', { params });
      await fetchClient.POST('/v1/{kind}/{id}/start', { params });
    },
    onSettled: () => refresh.sessions(),
  });
  return (
    <div className="flex flex-col items-end gap-2">
      <Button size="sm" pending={restart.isPending} onClick={() => restart.mutate()}>
        {!restart.isPending && <RotateCw aria-hidden />}
        Restart
      </Button>
      <ErrorNote error={restart.error} lead="It was not restarted." />
    </div>
  );
}

interface NoticeProps {
  label: string;
  tone: Tone;
  icon: LucideIcon;
  title: string;
  since?: string | undefined;
  children: ReactNode;
  action?: ReactNode;
  spin?: boolean;
}

function Notice({ label, tone, icon: Icon, title, since, children, action, spin = false }: NoticeProps) {
  return (
    <section
      aria-label={label}
      className="flex flex-wrap items-start gap-x-4 gap-y-3 rounded-xl border border-line bg-surface px-4 py-4 shadow-lift sm:flex-nowrap sm:px-5"
    >
      <span className={cn('grid size-9 shrink-0 place-items-center rounded-lg', TONE_CHIP[tone])}>
        <Icon aria-hidden className={cn('size-[1.15rem]', spin && 'animate-spin')} />
      </span>
      <div className="min-w-0 flex-1 basis-56 text-sm text-ink-2">
        <h2 className="font-semibold text-ink">
          {title}
          {since !== undefined && (
            <span className="ml-2 text-xs font-normal text-ink-2">
              since <RelativeTime at={since} />
            </span>
          )}
        </h2>
        {children}
      </div>
      {action !== undefined && <div className="self-center">{action}</div>}
    </section>
  );
}
