import { useState } from 'react';
import { useNow } from '@/lib/clock';
import { formatCountdown } from '@/lib/time';

/** How long Telegram makes one wait, counting down from when it was shown. */
export function WaitOut({ seconds }: { seconds: number }) {
  const now = useNow();
  const [until] = useState(now + seconds * 1_000);
  const left = (until - now) / 1_000;
  return (
    <p className="tabular mt-1">{left > 0 ? `Wait ${formatCountdown(left)} before the next try.` : 'Try again.'}</p>
  );
}
