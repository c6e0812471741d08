import { useSessionNames } from '@/components/session/use-session-names';
import { ApiError } from '@/lib/api-error';
import { adviceFor } from './pool-states';

interface UnfitBot {
  readonly session_id: string;
  readonly reason: string;
}

const isUnfitBot = (value: unknown): value is UnfitBot =>
  typeof value === 'object' &&
  value !== null &&
  'session_id' in value &&
  'reason' in value &&
  typeof value.session_id === 'string' &&
  typeof value.reason === 'string';

/** Why each bot cannot store in a chat, as a 422 `no_usable_bot` tells it. */
export function UnfitBots({ error }: { error: unknown }) {
  const nameOf = useSessionNames();
  if (error === null || error === undefined) return null;
  const { bots } = ApiError.from(error).details;
  const unfit = Array.isArray(bots) ? bots.filter(isUnfitBot) : [];
  if (unfit.length === 0) return null;
  return (
    <ul className="list-disc pl-4">
      {unfit.map(({ session_id: id, reason }) => (
        <li key={id}>
          <strong className="font-semibold">{nameOf(id)}</strong>: {reason}. {adviceFor(reason)}
        </li>
      ))}
    </ul>
  );
}
