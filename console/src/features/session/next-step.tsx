import { KeyRound, Play, Snowflake, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { HEALTH, STATUS, isLoggingIn } from '@/components/session/status';
import { Button } from '@/components/ui/button';
import { ErrorNote } from '@/components/ui/states';
import { TONE_CHIP, type Tone } from '@/components/ui/tone';
import { $api } from '@/lib/api';
import { cn } from '@/lib/cn';
import { useOverlays } from '@/lib/overlays';
import { useRefresh } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';

const told = (text: string | null | undefined): text is string => text !== undefined && text !== null && text !== '';

/** What is wrong with the session, why, and the one act that leads on. Nothing while everything is well. */
export function NextStep({ session }: { session: SessionSummary }) {
  const { openCreate, openLogin } = useOverlays();
  const meaning = STATUS[session.status];
  const again = (
    <Button size="sm" tone="primary" onClick={() => openCreate(session.kind)}>
      {session.kind === 'bot' ? 'Add the bot anew' : 'Log in anew'}
    </Button>
  );

  if (session.status === 'authorized') {
    if (session.health !== 'ok') {
      return (
        <Notice tone={HEALTH[session.health].tone} icon={meaning.icon} title={`Health: ${HEALTH[session.health].word}`}>
          <p>{told(session.health_cause) ? session.health_cause : HEALTH[session.health].explain}</p>
          <p className="mt-1">
            The session keeps trying by itself. If it lasts: test or change the proxy under Settings, and look whether
            the account still works in a Telegram app.
          </p>
        </Notice>
      );
    }
    if (session.frozen) {
      return (
        <Notice tone="bad" icon={Snowflake} title="Telegram has frozen this account">
          <p>It can still read, but not send or change anything. Appeal from a Telegram app that is signed in to it.</p>
        </Notice>
      );
    }
    if (session.spam_limited) {
      return (
        <Notice tone="wait" icon={Snowflake} title="Telegram limits this account">
          <p>It cannot write to strangers for now. @SpamBot tells until when.</p>
        </Notice>
      );
    }
    return null;
  }

  const loggingIn = isLoggingIn(session.kind, session.status);
  return (
    <Notice
      tone={meaning.tone}
      icon={meaning.icon}
      title={meaning.word}
      spin={meaning.spin === true}
      action={
        loggingIn ? (
          <Button size="sm" tone="primary" onClick={() => openLogin(session.id)}>
            <KeyRound aria-hidden />
            Resume login
          </Button>
        ) : session.status === 'stopped' ? (
          <StartButton session={session} />
        ) : meaning.group === 'trouble' && session.status !== 'banned' ? (
          again
        ) : undefined
      }
    >
      <p>{meaning.explain}</p>
      {told(session.last_error) && (
        <p className="mt-1">
          Last error: <code className="font-mono text-xs">{session.last_error}</code>
        </p>
      )}
      {meaning.group === 'trouble' && (
        <p className="mt-1">
          {session.status === 'banned'
            ? 'It cannot be used any more. If that is a mistake, write to recover@telegram.org; then remove it here.'
            : 'It needs a new sign-in. Remove this one here when the new one is ready.'}
        </p>
      )}
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

interface NoticeProps {
  tone: Tone;
  icon: LucideIcon;
  title: string;
  children: ReactNode;
  action?: ReactNode;
  spin?: boolean;
}

function Notice({ tone, icon: Icon, title, children, action, spin = false }: NoticeProps) {
  return (
    <section
      aria-label="Next step"
      className="flex flex-wrap items-start gap-x-4 gap-y-3 rounded-xl border border-line bg-surface px-4 py-4 shadow-lift sm:flex-nowrap sm:px-5"
    >
      <span className={cn('grid size-9 shrink-0 place-items-center rounded-lg', TONE_CHIP[tone])}>
        <Icon aria-hidden className={cn('size-[1.15rem]', spin && 'animate-spin')} />
      </span>
      <div className="min-w-0 flex-1 basis-56 text-sm text-ink-2">
        <h2 className="font-semibold text-ink">{title}</h2>
        {children}
      </div>
      {action !== undefined && <div className="self-center">{action}</div>}
    </section>
  );
}
