'use client';

import { ShieldCheck, Terminal } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '@/components/ui/button';
import { CopyTextButton } from '@/components/ui/copy';
import { Dialog, DialogActions } from '@/components/ui/dialog';
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
  const [copied, setCopied] = useState(false);
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    // Reloading would take the secret away as well.
    const hold = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', hold);
    return () => window.removeEventListener('beforeunload', hold);
  }, []);
  const leave = (): void => {
    if (copied || asked) onClose();
    else setAsked(true);
  };
  return (
    <Dialog
      title="Copy the token now"
      description="It is shown this once: tgcontrol keeps only its hash."
      onClose={leave}
      keepUntilAnswered
    >
      <div className="flex flex-col gap-4">
        <div>
          <p id="new-token" className="text-sm font-medium">
            Token
          </p>
          <output
            aria-labelledby="new-token"
            className="mt-1.5 block rounded-lg border border-line bg-sunken px-3.5 py-3 font-mono text-sm break-all select-all"
          >
            {made.secret}
          </output>
          <div className="mt-2.5">
            <CopyTextButton tone="primary" text={() => made.secret} onCopied={() => setCopied(true)}>
              Copy token
            </CopyTextButton>
          </div>
        </div>
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
            <CopyTextButton size="sm" icon={Terminal} text={() => curl} onCopied={() => setCopied(true)}>
              Copy curl
            </CopyTextButton>
          </div>
        </div>
        <p className="flex gap-2.5 rounded-lg bg-sunken px-3.5 py-3 text-xs text-ink-2">
          <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
          Whoever has it can use these sessions. Put it where your program keeps its secrets, and switch it off or
          delete it here when it is not needed any more.
        </p>
      </div>
      {asked && !copied && (
        <p role="alert" className="mt-4 rounded-lg bg-wait-soft px-3.5 py-3 text-sm text-wait">
          It was not copied yet. After this window it cannot be seen again.
        </p>
      )}
      <DialogActions>
        <Button tone={copied ? 'primary' : 'plain'} onClick={leave}>
          {copied ? 'Done' : asked ? 'Close without copying' : 'I have stored it'}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
