import { TriangleAlert } from 'lucide-react';
import Link from 'next/link';
import { useNow } from '@/lib/clock';
import { usePools, useSessions, useWorkers } from '@/lib/queries';
import { fleetTroubles } from './fleet-troubles';

/** More would push the page out of sight; the rest is counted. */
const SHOWN = 3;

/** One banner for what of the fleet is degraded, on every page. It goes away by itself. */
export function FleetBanner() {
  const workers = useWorkers();
  const pools = usePools();
  const sessions = useSessions();
  const now = useNow();
  if (workers.data === undefined) return null;
  const troubles = fleetTroubles(workers.data, pools.data ?? [], sessions.data ?? [], now);
  if (troubles.length === 0) return null;
  return (
    <div
      role="alert"
      className="flex items-start gap-2.5 border-b border-wait/30 bg-wait-soft px-4 py-2.5 text-sm text-wait sm:px-6"
    >
      <TriangleAlert aria-hidden className="mt-0.5 size-4 shrink-0" />
      <ul className="flex min-w-0 flex-1 flex-col gap-1">
        {troubles.slice(0, SHOWN).map(({ id, text, href, action }) => (
          <li key={id} className="break-words">
            {text}{' '}
            <Link href={href} className="font-semibold underline underline-offset-2">
              {action}
            </Link>
          </li>
        ))}
        {troubles.length > SHOWN && <li>And {troubles.length - SHOWN} more.</li>}
      </ul>
    </div>
  );
}
