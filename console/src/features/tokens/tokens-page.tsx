'use client';

import {
  CircleCheck,
  CirclePause,
  Database,
  Hourglass,
  KeyRound,
  Pencil,
  Play,
  Plus,
  RefreshCw,
  ShieldQuestionMark,
  Trash2,
  type LucideIcon,
} from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { Badge } from '@/components/ui/badge';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { MenuItem, RowMenu } from '@/components/ui/menu';
import { Page } from '@/components/ui/page';
import { RelativeTime } from '@/components/ui/relative-time';
import { EmptyState, LoadFailed, LoadingRows } from '@/components/ui/states';
import type { Tone } from '@/components/ui/tone';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { useNow } from '@/lib/clock';
import { useOverlays } from '@/lib/overlays';
import { useApps, useRefresh, useSessions, useTokens } from '@/lib/queries';
import type { Token } from '@/lib/types';
import { AccessKeysDialog } from './access-keys-dialog';
import { DeleteTokenDialog, EditTokenDialog, RotateTokenDialog } from './token-dialogs';
import { describeRights, type TokenState, tokenState } from './token-rights';
import { TokenRightsDialog } from './token-rights-dialog';
import { describeScope, tokenName } from './token-scope';

type Act = 'edit' | 'rights' | 'keys' | 'rotate' | 'delete';

const STATES: Record<TokenState, { readonly word: string; readonly tone: Tone; readonly icon: LucideIcon }> = {
  enabled: { word: 'Enabled', tone: 'ok', icon: CircleCheck },
  disabled: { word: 'Disabled', tone: 'idle', icon: CirclePause },
  expired: { word: 'Expired', tone: 'bad', icon: Hourglass },
};

const SOON_MS = 7 * 86_400_000;

/** Tokens for programs, each for some sessions. */
export function TokensPage() {
  const tokens = useTokens();
  const { openCreate } = useOverlays();
  const [asked, setAsked] = useState<{ readonly what: Act; readonly token: Token }>();
  const make = (
    <Button tone="primary" onClick={() => openCreate('token')}>
      <Plus aria-hidden />
      Make a token
    </Button>
  );
  return (
    <Page
      title="API tokens"
      description="For programs: each opens the sessions it was made for, and nothing else."
      actions={make}
    >
      <Card flush>
        {tokens.isPending ? (
          <LoadingRows what="tokens" rows={2} />
        ) : tokens.isLoadingError ? (
          <LoadFailed what="tokens" error={tokens.error} onRetry={tokens.refetch} />
        ) : tokens.data.length === 0 ? (
          <EmptyState icon={KeyRound} title="No tokens yet" action={make}>
            The API token that you signed in with can do everything. A program gets one of its own, for the sessions it
            works with; when it leaks, only that one has to be replaced.
          </EmptyState>
        ) : (
          <ul className="divide-y divide-line">
            {tokens.data.map((token) => (
              <TokenRow key={token.id} token={token} onAsk={(what) => setAsked({ what, token })} />
            ))}
          </ul>
        )}
      </Card>
      {asked?.what === 'edit' && <EditTokenDialog token={asked.token} onClose={() => setAsked(undefined)} />}
      {asked?.what === 'rights' && <TokenRightsDialog token={asked.token} onClose={() => setAsked(undefined)} />}
      {asked?.what === 'keys' && <AccessKeysDialog token={asked.token} onClose={() => setAsked(undefined)} />}
      {asked?.what === 'rotate' && <RotateTokenDialog token={asked.token} onClose={() => setAsked(undefined)} />}
      {asked?.what === 'delete' && <DeleteTokenDialog token={asked.token} onClose={() => setAsked(undefined)} />}
    </Page>
  );
}

function TokenRow({ token, onAsk }: { token: Token; onAsk: (what: Act) => void }) {
  const refresh = useRefresh();
  const apps = useApps();
  const sessions = useSessions();
  const update = $api.useMutation('patch', '/v1/tokens/{id}');
  const name = tokenName(token);
  const state = STATES[tokenState(token, useNow())];
  const toggle = (): void =>
    update.mutate(
      { params: { path: { id: token.id } }, body: { enabled: !token.enabled } },
      {
        onSuccess: () => {
          void refresh.tokens();
          toast.success(token.enabled ? `${name} is disabled.` : `${name} is enabled.`);
        },
        onError: (thrown) => toast.error(`${name} was not changed. ${ApiError.from(thrown).message}`),
      },
    );
  return (
    <li className="flex items-center gap-4 px-4 py-3.5 sm:px-5">
      <span className="hidden size-8 shrink-0 place-items-center rounded-lg border border-line bg-sunken text-ink-2 sm:grid">
        <KeyRound aria-hidden className="size-4" strokeWidth={1.75} />
      </span>
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-x-2.5 gap-y-1 text-sm font-semibold">
          <span className="min-w-0 truncate">{name}</span>
          <Badge tone={state.tone} icon={state.icon}>
            {state.word}
          </Badge>
        </p>
        <p className="mt-0.5 text-xs text-ink-2">{describeScope(token, apps.data ?? [], sessions.data ?? [])}</p>
        <p className="mt-0.5 text-xs text-ink-2">{describeRights(token)}</p>
        <p className="mt-0.5 flex flex-wrap gap-x-3 text-xs text-ink-3">
          <code className="font-mono">{token.prefix}…</code>
          <span>
            made <RelativeTime at={token.created_at} />
          </span>
          <span>
            {token.last_used_at === undefined ? (
              'never used'
            ) : (
              <>
                used <RelativeTime at={token.last_used_at} />
              </>
            )}
          </span>
          <TokenEnd token={token} />
          {token.former_secrets_until !== undefined && (
            <span>
              the secret before ends <RelativeTime at={token.former_secrets_until} />
            </span>
          )}
        </p>
      </div>
      <Button
        size="sm"
        pending={update.isPending}
        onClick={toggle}
        aria-label={`${token.enabled ? 'Disable' : 'Enable'} ${name}`}
        title={token.enabled ? 'It is refused everywhere until it is enabled again.' : undefined}
      >
        {!update.isPending && (token.enabled ? <CirclePause aria-hidden /> : <Play aria-hidden />)}
        <span className="hidden sm:inline">{token.enabled ? 'Disable' : 'Enable'}</span>
      </Button>
      <RowMenu label={`Actions for ${name}`}>
        <MenuItem icon={Pencil} onSelect={() => onAsk('edit')}>
          Edit
        </MenuItem>
        <MenuItem icon={ShieldQuestionMark} onSelect={() => onAsk('rights')}>
          What it may do
        </MenuItem>
        <MenuItem icon={Database} onSelect={() => onAsk('keys')}>
          S3 access keys
        </MenuItem>
        <MenuItem icon={RefreshCw} onSelect={() => onAsk('rotate')}>
          Rotate
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => onAsk('delete')}>
          Delete
        </MenuItem>
      </RowMenu>
    </li>
  );
}

/** A token that is about to end stands out, for its program has to be given another. */
function TokenEnd({ token: { expires_at } }: { token: Token }) {
  const now = useNow();
  if (expires_at === undefined) return <span>never expires</span>;
  const left = Date.parse(expires_at) - now;
  return (
    <span className={left > 0 && left < SOON_MS ? 'font-medium text-wait' : undefined}>
      {left > 0 ? 'expires' : 'expired'} <RelativeTime at={expires_at} />
    </span>
  );
}
