import { Check, X } from 'lucide-react';
import Link from 'next/link';
import type { ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { cn } from '@/lib/cn';
import { FIRST_CALL_KEY } from '@/lib/first-call';
import { sessionHref, useOverlays } from '@/lib/overlays';
import { useApps, useProxies, useSessions } from '@/lib/queries';
import { useStored, writeStored } from '@/lib/stored';

const HIDDEN_KEY = 'tgcontrol.first-steps.hidden';

interface StepView {
  readonly title: string;
  readonly text: string;
  readonly done: boolean;
  readonly optional?: true;
  readonly action: ReactNode;
}

/** Four steps from an empty installation to a first call; it goes away when they are done, or when told to. */
export function FirstSteps() {
  const apps = useApps();
  const proxies = useProxies();
  const sessions = useSessions();
  const hidden = useStored(HIDDEN_KEY) !== null;
  const called = useStored(FIRST_CALL_KEY) !== null;
  const { openCreate } = useOverlays();
  if (hidden || !apps.data || !proxies.data || !sessions.data) return null;

  const ready = sessions.data.find((session) => session.status === 'authorized');
  const steps: readonly StepView[] = [
    {
      title: 'Add a Telegram app',
      text: 'The api_id and api_hash from my.telegram.org. Sessions sign in with them.',
      done: apps.data.length > 0,
      action: (
        <Button tone="primary" size="sm" onClick={() => openCreate('app')}>
          Add the app
        </Button>
      ),
    },
    {
      title: 'Add a proxy',
      text: 'For accounts that should reach Telegram from another address than this server’s.',
      done: proxies.data.length > 0,
      optional: true,
      action: (
        <Button size="sm" onClick={() => openCreate('proxy')}>
          Add a proxy
        </Button>
      ),
    },
    {
      title: 'Sign in a bot or a user',
      text: 'A bot needs only its token and takes seconds. A user account needs its phone at hand for the code.',
      done: ready !== undefined,
      action: (
        <>
          <Button tone="primary" size="sm" onClick={() => openCreate('bot')}>
            Add a bot
          </Button>
          <Button size="sm" onClick={() => openCreate('user')}>
            Log in a user
          </Button>
        </>
      ),
    },
    {
      title: 'Make the first call',
      text: 'Any td_api method, from the call box on the session’s page; copy it as curl from there.',
      done: called,
      action: ready && (
        <Button asChild tone="primary" size="sm">
          <Link href={sessionHref(ready)}>Open the call box</Link>
        </Button>
      ),
    },
  ];
  if (steps.every((step) => step.done || step.optional === true)) return null;
  const next = steps.findIndex((step) => !step.done && step.optional !== true);

  return (
    <section
      aria-label="First steps"
      className="relative overflow-hidden rounded-xl border border-line bg-surface shadow-lift"
    >
      <header className="flex items-start justify-between gap-4 px-5 pt-4 pb-1">
        <div>
          <h2 className="text-base font-semibold tracking-tight">From here to the first call</h2>
          <p className="tabular mt-0.5 text-sm text-ink-2">
            {steps.filter((step) => step.done).length} of {steps.length} done
          </p>
        </div>
        <Button
          tone="quiet"
          size="icon-sm"
          aria-label="Hide the first steps"
          title="Hide"
          onClick={() => writeStored(HIDDEN_KEY, 'yes')}
        >
          <X aria-hidden />
        </Button>
      </header>
      <ol className="grid gap-px md:grid-cols-4">
        {steps.map((step, index) => (
          <li
            key={step.title}
            aria-current={index === next ? 'step' : undefined}
            className="flex gap-3 px-5 py-4 md:flex-col md:gap-2.5"
          >
            <span
              className={cn(
                'tabular grid size-7 shrink-0 place-items-center rounded-full text-xs font-semibold',
                step.done
                  ? 'bg-ok-soft text-ok'
                  : index === next
                    ? 'bg-accent text-on-accent'
                    : 'border border-line-strong text-ink-2',
              )}
            >
              {step.done ? <Check aria-hidden className="size-4" /> : index + 1}
              {step.done && <span className="sr-only">Done</span>}
            </span>
            <div className="flex min-w-0 flex-1 flex-col">
              <h3 className="text-sm font-semibold">
                {step.title}
                {step.optional && <span className="font-normal text-ink-3"> optional</span>}
              </h3>
              <p className="mt-0.5 text-xs text-ink-2">{step.text}</p>
              {!step.done && (index === next || step.optional === true) && (
                <div className="mt-3 flex flex-wrap gap-2">{step.action}</div>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}
