'use client';

import { ShieldCheck, Terminal } from 'lucide-react';
import { useState } from 'react';
import { SecretDialog } from '@/components/secret-dialog';
import { CopyTextButton } from '@/components/ui/copy';
import { Dialog } from '@/components/ui/dialog';
import { $api } from '@/lib/api';
import { shellWord } from '@/lib/call';
import { useOverlays } from '@/lib/overlays';
import { useRefresh, useSessions } from '@/lib/queries';
import { TokenForm, type TokenValues } from './token-form';

interface Made {
  readonly secret: string;
  readonly values: TokenValues;
}

/** Makes a token; opened from anywhere by the address. Once made, only an answer closes it: the secret is never shown again. */
export function NewTokenDialog() {
  const { creating, close } = useOverlays();
  // Kept here and not in the form: going back in the browser takes the form away, but must not take the secret.
  const [made, setMade] = useState<Made>();
  if (made) {
    return (
      <Secret
        made={made}
        onClose={() => {
          setMade(undefined);
          close();
        }}
      />
    );
  }
  if (creating !== 'token') return null;
  return (
    <Dialog
      title="Make an API token"
      description="For a program of yours: it opens the sessions you choose, and nothing else."
      onClose={close}
    >
      <NewTokenForm onMade={setMade} onClose={close} />
    </Dialog>
  );
}

function NewTokenForm({ onMade, onClose }: { onMade: (made: Made) => void; onClose: () => void }) {
  const refresh = useRefresh();
  const create = $api.useMutation('post', '/v1/tokens');
  return (
    <TokenForm
      action="Make the token"
      lead="The token was not made."
      pending={create.isPending}
      error={create.error}
      onClose={onClose}
      onSubmit={(values) =>
        create.mutate(
          {
            body: {
              ...(values.name === '' ? {} : { name: values.name }),
              ...(values.all_sessions
                ? { all_sessions: true }
                : { app_ids: [...values.app_ids], session_ids: [...values.session_ids] }),
            },
          },
          {
            onSuccess: ({ result }) => {
              void refresh.tokens();
              onMade({ secret: result.token, values });
            },
          },
        )
      }
    />
  );
}

/** The calls that the new token opens, for a terminal. */
function useFirstCall({ secret, values }: Made): string {
  const sessions = useSessions();
  const session = sessions.data?.find(
    ({ id, app_id, status }) =>
      status === 'authorized' &&
      (values.all_sessions || values.session_ids.includes(id) || values.app_ids.includes(app_id)),
  );
  const origin = typeof window === 'undefined' ? '' : window.location.origin;
  const bearer = `-H ${shellWord(`Authorization: Bearer ${secret}`)}`;
  return session
    ? `curl -sS ${shellWord(`${origin}/v1/${session.kind}/${session.id}/call`)} ${bearer} -d '{"method":"getMe"}'`
    : `curl -sS ${shellWord(`${origin}/v1/sessions`)} ${bearer}`;
}

function Secret({ made, onClose }: { made: Made; onClose: () => void }) {
  const curl = useFirstCall(made);
  return (
    <SecretDialog
      name="Token"
      description="It is shown this once: tgcontrol keeps only its hash."
      secret={made.secret}
      onClose={onClose}
    >
      {(onCopied) => (
        <>
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
