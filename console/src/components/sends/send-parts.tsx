import { Badge } from '@/components/ui/badge';
import { CopyButton } from '@/components/ui/copy';
import { explainRefusal } from '@/lib/refusals';
import type { Send, SendStatus } from '@/lib/types';
import { SEND_STATUS } from './status';

type SendError = NonNullable<Send['error']>;

/** What became of a message, as icon and word. */
export function SendBadge({ status }: { status: SendStatus }) {
  const meaning = SEND_STATUS[status];
  return (
    <Badge tone={meaning.tone} icon={meaning.icon} title={meaning.explain} spin={status === 'pending'}>
      {meaning.word}
    </Badge>
  );
}

/** An id of a chat or message, whole, with its copy button. */
export function NumberId({ id, what }: { id: number; what: string }) {
  return (
    <span className="inline-flex items-center gap-0.5">
      <code className="font-mono text-xs">{id}</code>
      <CopyButton text={String(id)} what={what} />
    </span>
  );
}

/** Why a message was not sent, in words, with Telegram's own. */
export function SendErrorWords({ error }: { error: SendError }) {
  if (error.source === 'gateway' && error.code === 'deleted') {
    return <p className="text-xs text-bad">It was deleted before it was sent.</p>;
  }
  const { sentence, words } = explainRefusal(error.message ?? 'Telegram gave no reason.');
  return (
    <p className="text-xs break-words text-bad">
      {sentence !== undefined && `${sentence} `}
      <code className="font-mono">
        {error.code} {words}
      </code>
    </p>
  );
}
