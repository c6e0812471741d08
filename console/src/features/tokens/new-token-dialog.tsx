'use client';

import { ShieldCheck, Terminal } from 'lucide-react';
import { SecretDialog } from '@/components/secret-dialog';
import { CopyTextButton } from '@/components/ui/copy';
import { Dialog } from '@/components/ui/dialog';
import { RelativeTime } from '@/components/ui/relative-time';
import { $api } from '@/lib/api';
import { shellWord } from '@/lib/call';
import { useOverlays } from '@/lib/overlays';
import { useRefresh, useSessions } from '@/lib/queries';
import { type ShownToken, showToken, useShownToken } from './shown-token';
import { TokenForm } from './token-form';

/** Makes a token, opened from anywhere by the address; and shows secrets, which only an answer closes. */
export function NewTokenDialog() {
  const { creating, close } = useOverlays();
  const shown = useShownToken();
  if (shown) return <Secret key={shown.secret} shown={shown} onClose={() => showToken(undefined)} />;
  if (creating !== 'token') return null;
  return (
    <Dialog
      title="Make an API token"
      description="For a program of yours: it opens the sessions you choose, and nothing else."
      onClose={close}
      className="sm:max-w-xl"
    >
      <NewTokenForm onClose={close} />
    </Dialog>
  );
}

function NewTokenForm({ onClose }: { onClose: () => void }) {
  const refresh = useRefresh();
  const create = $api.useMutation('post', '/v1/tokens');
  return (
    <TokenForm
      action="Make the token"
      lead="The token was not made."
      pending={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={({ name, all_sessions, app_ids, session_ids, classes, methods, chats, expires_at, ...pools }) =>
        create.mutate(
          {
            body: {
              ...(name === '' ? {} : { name }),
              ...(all_sessions ? { all_sessions } : { app_ids: [...app_ids], session_ids: [...session_ids] }),
              classes: [...classes],
              ...(methods === null ? {} : { methods: [...methods] }),
              ...(chats === null ? {} : { chats: [...chats] }),
              ...(typeof expires_at === 'string' ? { expires_at } : {}),
              ...(pools.pool_ids.length === 0 ? {} : { pool_ids: [...pools.pool_ids], pool_access: pools.pool_access }),
            },
          },
          {
            onSuccess: ({ result }) => {
              void refresh.tokens();
              onClose();
              showToken({
                secret: result.token,
                reach: { all_sessions, app_ids, session_ids },
                mayRead: classes.includes('read') && (methods?.includes('getMe') ?? true),
              });
            },
          },
        )
      }
    />
  );
}

/** The calls that the token opens, for a terminal. */
function useFirstCall({ secret, reach, mayRead }: ShownToken): string {
  const sessions = useSessions();
  const session = sessions.data?.find(
    ({ id, app_id, status }) =>
      status === 'authorized' &&
      (reach.all_sessions || reach.session_ids.includes(id) || reach.app_ids.includes(app_id)),
  );
  const origin = typeof window === 'undefined' ? '' : window.location.origin;
  const bearer = `-H ${shellWord(`Authorization: Bearer ${secret}`)}`;
  return session && mayRead
    ? `curl -sS ${shellWord(`${origin}/v1/${session.kind}/${session.id}/call`)} ${bearer} -d '{"method":"getMe"}'`
    : `curl -sS ${shellWord(`${origin}/v1/me`)} ${bearer}`;
}

function Secret({ shown, onClose }: { shown: ShownToken; onClose: () => void }) {
  const curl = useFirstCall(shown);
  return (
    <SecretDialog
      name="Token"
      description="It is shown this once: tgcontrol keeps only its hash."
      secret={shown.secret}
      onClose={onClose}
    >
      {(onCopied) => (
        <>
          {shown.formerUntil !== undefined && (
            <p className="text-sm">
              The one before goes on to work, and ends <RelativeTime at={shown.formerUntil} />. Put this one in its
              place until then.
            </p>
          )}
          <div>
            <p className="text-sm font-medium">Try it</p>
            <pre
              tabIndex={0}
              role="region"
              aria-label="A call with the token"
              className="mt-1.5 rounded-lg border border-line bg-sunken px-3.5 py-3 font-mono text-xs leading-5 break-all whitespace-pre-wrap"
            >
              {curl}
            </pre>
            <div className="mt-2.5">
              <CopyTextButton size="sm" icon={Terminal} text={() => curl} onCopied={onCopied}>
                Copy curl
              </CopyTextButton>
            </div>
          </div>
          <p className="flex gap-2.5 rounded-lg bg-sunken px-3.5 py-3 text-xs text-ink-2">
            <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
            Whoever has it can use these sessions. Put it where your program keeps its secrets, and switch it off or
            delete it here when it is not needed any more.
          </p>
        </>
      )}
    </SecretDialog>
  );
}
