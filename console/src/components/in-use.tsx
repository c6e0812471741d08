import Link from 'next/link';
import { ApiError } from '@/lib/api-error';
import { sessionHref } from '@/lib/overlays';
import { useSessionNames } from './session/use-session-names';

const SHOWN = 6;

/** The sessions that keep a thing from being deleted, as links, so that the way out is one click. */
export function InUse({ error }: { error: unknown }) {
  const nameOf = useSessionNames();
  if (error === null || error === undefined) return null;
  const ids = ApiError.from(error).sessionsInUse;
  if (ids.length === 0) return null;
  return (
    <div>
      <p>These sessions still use it. Give them another one, or remove them, first:</p>
      <ul className="mt-1 flex flex-wrap gap-x-3 gap-y-1">
        {ids.slice(0, SHOWN).map((id) => (
          <li key={id}>
            <Link href={sessionHref({ id })} className="font-medium underline underline-offset-2">
              {nameOf(id)}
            </Link>
          </li>
        ))}
        {ids.length > SHOWN && <li>and {ids.length - SHOWN} more</li>}
      </ul>
    </div>
  );
}
