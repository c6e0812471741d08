import { CirclePause, LogOut, Trash2 } from 'lucide-react';
import { useRouter } from 'next/navigation';
import { useState, type ReactNode } from 'react';
import { toast } from 'sonner';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { ConfirmCancel, ConfirmDialog } from '@/components/ui/dialog';
import { Field, Input } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { useRefresh } from '@/lib/queries';
import type { SessionSummary } from '@/lib/types';

type Way = 'remove' | 'log-out';

/** The three ends of a session, kept apart because they leave different things behind. */
export function Removal({ session, name }: { session: SessionSummary; name: string }) {
  const [asked, setAsked] = useState<Way>();
  const refresh = useRefresh();
  const stop = $api.useMutation('post', '/v1/{kind}/{id}/stop');
  const isSignedIn = session.status === 'authorized';
  const isStopped = session.status === 'stopped';
  return (
    <Card title="End this session">
      <div className="flex flex-col divide-y divide-line text-sm text-ink-2">
        <End
          title="Stop"
          text="closes the session until it is started again, also over restarts. It stays signed in at Telegram, and its files stay here."
          closed={
            isSignedIn ? undefined : isStopped ? 'It is stopped.' : 'Only a session that is signed in can be stopped.'
          }
          button={(disabled) => (
            <Button
              size="sm"
              disabled={disabled}
              pending={stop.isPending}
              onClick={() =>
                stop.mutate(
                  { params: { path: { kind: session.kind, id: session.id } } },
                  {
                    onSuccess: () => {
                      void refresh.sessions();
                      toast.success(`${name} is stopped.`);
                    },
                  },
                )
              }
            >
              {!stop.isPending && <CirclePause aria-hidden />}
              Stop
            </Button>
          )}
        >
          <ErrorNote className="mt-2" error={stop.error} lead="It was not stopped." />
        </End>
        <End
          title="Log out"
          text="ends the authorization at Telegram, then forgets the session here. It disappears from the account’s list of devices."
          closed={
            isSignedIn
              ? undefined
              : isStopped
                ? 'Start it first: only a session that runs can tell Telegram.'
                : 'It is not signed in, so there is nothing to log out.'
          }
          button={(disabled) => (
            <Button size="sm" tone="danger-quiet" disabled={disabled} onClick={() => setAsked('log-out')}>
              <LogOut aria-hidden />
              Log out…
            </Button>
          )}
        />
        <End
          title="Remove"
          text={
            isSignedIn || isStopped
              ? 'only forgets the session here, with its files. Telegram keeps the authorization, and the account still lists it as a device.'
              : 'only forgets the session here, with its files.'
          }
          closed={undefined}
          button={() => (
            <Button size="sm" tone="danger-quiet" onClick={() => setAsked('remove')}>
              <Trash2 aria-hidden />
              Remove…
            </Button>
          )}
        />
      </div>
      {asked !== undefined && (
        <RemovalDialog way={asked} session={session} name={name} onClose={() => setAsked(undefined)} />
      )}
    </Card>
  );
}

interface EndProps {
  title: string;
  /** Goes on from the title: what it does, and what stays. */
  text: string;
  /** Why it is not possible now. */
  closed: string | undefined;
  button: (disabled: boolean) => ReactNode;
  children?: ReactNode;
}

function End({ title, text, closed, button, children }: EndProps) {
  return (
    <div className="py-4 first:pt-0 last:pb-0">
      <p>
        <strong className="font-semibold text-ink">{title}</strong> {text}
      </p>
      <div className="mt-2 flex flex-wrap items-center gap-x-3 gap-y-1">
        {button(closed !== undefined)}
        {closed !== undefined && <span className="text-xs text-ink-2">{closed}</span>}
      </div>
      {children}
    </div>
  );
}

interface RemovalDialogProps {
  way: Way;
  session: SessionSummary;
  name: string;
  onClose: () => void;
}

function RemovalDialog({ way, session, name, onClose }: RemovalDialogProps) {
  const router = useRouter();
  const refresh = useRefresh();
  const remove = $api.useMutation('delete', '/v1/{kind}/{id}');
  const [typed, setTyped] = useState('');
  const isLogOut = way === 'log-out';
  // A bot comes back with its token; an account needs a new code, so losing one by a slip is dear.
  const mustType = session.kind === 'user' && session.status === 'authorized';
  const act = isLogOut ? 'Log out' : 'Remove';
  return (
    <ConfirmDialog
      title={isLogOut ? `Log ${name} out of Telegram?` : `Remove ${name}?`}
      onClose={onClose}
      actions={
        <>
          <ConfirmCancel asChild>
            <Button>Keep it</Button>
          </ConfirmCancel>
          <Button
            tone="danger"
            pending={remove.isPending}
            disabled={mustType && typed.trim() !== name}
            onClick={() =>
              remove.mutate(
                {
                  params: {
                    path: { kind: session.kind, id: session.id },
                    ...(isLogOut ? { query: { logout: true } } : {}),
                  },
                },
                {
                  onSuccess: () => {
                    void refresh.sessions();
                    toast.success(isLogOut ? `${name} is logged out and removed.` : `${name} is removed.`);
                    router.push('/sessions/');
                  },
                },
              )
            }
          >
            {act}
          </Button>
        </>
      }
    >
      <p>
        {isLogOut
          ? 'Its authorization at Telegram ends now. The session, its local database and its downloaded files are deleted here.'
          : 'The session, its local database and its downloaded files are deleted here. Nothing changes at Telegram: the authorization stays in the account’s list of devices until somebody ends it there.'}
      </p>
      <p>
        What stays: the account with its chats and messages at Telegram, and the app and proxy here.{' '}
        {session.kind === 'bot' ? 'To come back it needs its token.' : 'To come back it needs a new login code.'}
      </p>
      {mustType && (
        <Field label={`Type “${name}” to go on`} className="text-ink">
          {(wiring) => (
            <Input {...wiring} autoComplete="off" value={typed} onChange={(event) => setTyped(event.target.value)} />
          )}
        </Field>
      )}
      <ErrorNote error={remove.error} lead={isLogOut ? 'It was not logged out.' : 'It was not removed.'} />
    </ConfirmDialog>
  );
}
