import { BadgeCheck, Gem, ShieldAlert, Snowflake } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatPhone } from '@/components/session/name';
import { Badge } from '@/components/ui/badge';
import { Card } from '@/components/ui/card';
import { CopyButton } from '@/components/ui/copy';
import { RelativeTime } from '@/components/ui/relative-time';
import type { SessionSummary } from '@/lib/types';
import { readAccount } from './account';

/** Who is signed in, and what Telegram says about the account. */
export function AccountCard({ session, me }: { session: SessionSummary; me: unknown }) {
  const account = readAccount(me);
  const phone = account?.phone ?? session.phone;
  const username = account?.username ?? session.username;
  return (
    <Card title="Account">
      <dl className="flex flex-col gap-2.5 text-sm">
        {account?.name !== undefined && <Row name="Name">{account.name}</Row>}
        {username !== undefined && username !== '' && <Row name="Username">@{username}</Row>}
        {phone !== undefined && phone !== '' && <Row name="Phone">{formatPhone(phone)}</Row>}
        {account && (
          <Row name="Telegram id">
            <span className="tabular">{account.id}</span>
            <CopyButton text={String(account.id)} what="Telegram id" />
          </Row>
        )}
        <Row name="App">{session.app_label ?? session.app_id.slice(0, 8)}</Row>
        <Row name="Worker">{session.worker_id ?? 'none'}</Row>
        <Row name="Added">
          <RelativeTime at={session.created_at} />
        </Row>
      </dl>
      <div className="mt-4 flex flex-wrap gap-2 empty:hidden">
        {session.is_premium === true && (
          <Badge tone="info" icon={Gem}>
            Premium
          </Badge>
        )}
        {session.frozen && (
          <Badge tone="bad" icon={Snowflake}>
            Frozen
          </Badge>
        )}
        {session.spam_limited && (
          <Badge tone="wait" icon={ShieldAlert}>
            Limited for spam
          </Badge>
        )}
        {account?.isVerified === true && (
          <Badge tone="ok" icon={BadgeCheck}>
            Verified
          </Badge>
        )}
      </div>
    </Card>
  );
}

function Row({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="flex min-w-0 items-baseline justify-between gap-4">
      <dt className="shrink-0 text-ink-2">{name}</dt>
      <dd className="flex min-w-0 items-center gap-1 truncate text-right font-medium">{children}</dd>
    </div>
  );
}
