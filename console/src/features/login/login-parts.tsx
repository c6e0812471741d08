import { LoaderCircle } from 'lucide-react';
import { useState, type ReactNode } from 'react';
import { Button } from '@/components/ui/button';
import { ErrorNote, RequestId } from '@/components/ui/states';
import { WaitOut } from '@/components/ui/wait-out';
import { ApiError } from '@/lib/api-error';
import { explainRefusal } from '@/lib/refusals';
import type { SessionDetails } from '@/lib/types';
import { refusalOf } from './login-words';
import type { Login } from './use-login';

/** What every step gets. */
export interface StepProps {
  login: Login;
  state: SessionDetails;
  onClose: () => void;
}

/** Why the last try was refused: plain words, Telegram's own, how long to wait. */
export function Refusal({ thrown, lastError }: { thrown: unknown; lastError: string | undefined }) {
  const words = refusalOf(thrown, lastError);
  if (words === undefined) return null;
  const explained = explainRefusal(words);
  const failure = thrown instanceof ApiError ? thrown : undefined;
  return (
    <div role="alert" className="mt-3 rounded-lg bg-bad-soft px-3.5 py-3 text-sm text-bad">
      {explained.sentence !== undefined && <p className="font-medium">{explained.sentence}</p>}
      <p className={explained.sentence === undefined ? '' : 'mt-0.5 text-xs'}>
        {explained.sentence === undefined ? '' : 'Telegram: '}
        <code className="font-mono break-words">{explained.words}</code>
      </p>
      {failure?.retryAfterSeconds !== undefined && <WaitOut seconds={failure.retryAfterSeconds} />}
      <RequestId id={failure?.requestId} />
    </div>
  );
}

interface DiscardProps {
  login: Login;
  onClose: () => void;
  /** Typing means that the login is wanted after all. */
  disarmedBy?: boolean;
}

/** Cancelling takes two clicks, because it throws away a code that Telegram sends only so often. */
export function Discard({ login, onClose, disarmedBy = false }: DiscardProps) {
  const [asked, setAsked] = useState(false);
  const { discard } = login;
  const armed = asked && !disarmedBy;
  return (
    <div className="mt-4 border-t border-line pt-4">
      {armed ? (
        <div className="flex flex-wrap items-center gap-2">
          <p className="w-full text-sm text-ink-2">
            This login and its code are thrown away. A session that was signed in before stays as it was; one that is
            new is removed here. Telegram limits how many codes a number gets.
          </p>
          <Button
            size="sm"
            tone="danger"
            pending={discard.isPending}
            onClick={() => discard.mutate(undefined, { onSuccess: onClose })}
          >
            Throw the login away
          </Button>
          <Button size="sm" tone="quiet" onClick={() => setAsked(false)}>
            Keep it
          </Button>
        </div>
      ) : (
        <div className="flex items-center justify-between gap-2">
          <p className="text-xs text-ink-3">Closing this window only hides the login.</p>
          <Button size="sm" tone="quiet" onClick={() => setAsked(true)}>
            Cancel login
          </Button>
        </div>
      )}
      <ErrorNote className="mt-3" error={discard.error} lead="The login was not cancelled." />
    </div>
  );
}

/** Nothing to do but to wait. */
export function Waiting({ children }: { children: ReactNode }) {
  return (
    <p role="status" className="flex items-center gap-3 py-4 text-sm text-ink-2">
      <LoaderCircle aria-hidden className="size-5 shrink-0 animate-spin text-accent" />
      {children}
    </p>
  );
}

/** How the login ended, or why it cannot go on. */
export function Outcome({ icon, tone, children }: { icon: ReactNode; tone: string; children: ReactNode }) {
  return (
    <div role="status" className="flex gap-3.5 py-1">
      <span className={`grid size-10 shrink-0 place-items-center rounded-xl ${tone}`}>{icon}</span>
      <div className="min-w-0 flex-1 text-sm text-ink-2">{children}</div>
    </div>
  );
}
