import type { ReactNode } from 'react';
import { Card } from '@/components/ui/card';
import { useSessionNames } from '@/components/session/use-session-names';
import { CopyButton } from '@/components/ui/copy';
import { RelativeTime } from '@/components/ui/relative-time';
import { formatBytes } from '@/lib/bytes';
import { formatCountdown } from '@/lib/time';
import type { Pool, PoolStatus } from '@/lib/types';

interface FactsCardProps {
  pool: Pool;
  /** Absent while nobody runs the pool. */
  backlog: PoolStatus['backlog'] | undefined;
}

/** What waits, what is kept, and how the pool is set. */
export function FactsCard({ pool, backlog }: FactsCardProps) {
  const { budget, scrub, janitor_session_id: janitor } = pool;
  const nameOf = useSessionNames();
  return (
    <Card title="Pool">
      <dl className="tabular grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-2 text-sm">
        <Fact name="Waiting">
          {backlog === undefined
            ? 'not known'
            : backlog.parts === 0
              ? 'nothing'
              : `${backlog.parts} ${backlog.parts === 1 ? 'part' : 'parts'}, ${formatBytes(backlog.bytes)}, the oldest for ${formatCountdown(backlog.oldest_s)}`}
        </Fact>
        <Fact name="Kept">
          {pool.objects} {pool.objects === 1 ? 'object' : 'objects'}, {formatBytes(pool.bytes)}
        </Fact>
        <Fact name={pool.chat_ids.length === 1 ? 'Chat' : 'Chats'}>
          <ul>
            {pool.chat_ids.map((chat, index) => (
              <li key={chat} className="flex flex-wrap items-center gap-x-1">
                <code className="font-mono text-xs">{chat}</code>
                <CopyButton text={String(chat)} what="chat id" />
                {pool.chat_ids.length > 1 && (
                  <span className="text-xs text-ink-2">
                    {index === pool.chat_ids.length - 1 ? 'new messages' : 'messages from before'}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </Fact>
        <Fact name="A message">at most {formatBytes(pool.chunk_size)}</Fact>
        <Fact name="A bot">
          {budget.max} messages in {budget.window_s} s, {budget.gap_ms} ms between two
        </Fact>
        <Fact name="New messages">{pool.encryption ? 'encrypted' : 'as they are, for whoever sees the chat'}</Fact>
        <Fact name="Janitor">{janitor === undefined ? 'none' : nameOf(janitor)}</Fact>
        <Fact name="Checked">
          {scrub === undefined
            ? 'when somebody asks'
            : `every ${scrub.every_h} h, with the bytes of ${scrub.sample} % of the messages`}
        </Fact>
        <Fact name="Worker">{pool.worker ?? 'none'}</Fact>
        <Fact name="Made">
          <RelativeTime at={pool.created_at} />
        </Fact>
      </dl>
    </Card>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className="min-w-0 break-words">{children}</dd>
    </>
  );
}
