import { Link2, Link2Off } from 'lucide-react';
import { useState } from 'react';
import { toast } from 'sonner';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy';
import { RelativeTime } from '@/components/ui/relative-time';
import { Segmented } from '@/components/ui/segmented';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { useRefresh } from '@/lib/queries';
import type { Pool, StoredObject } from '@/lib/types';

const HOUR_S = 3_600;
const SPANS = [
  { value: '1', label: 'An hour' },
  { value: '24', label: 'A day' },
  { value: '168', label: '7 days' },
] as const;

/** Addresses that give an object to whoever has them: made here, shown once, and ended. */
export function ObjectLinks({ pool, object: { key } }: { pool: Pool; object: StoredObject }) {
  const refresh = useRefresh();
  const path = { pool: pool.id };
  const links = $api.useQuery(
    'get',
    '/v1/pools/{pool}/links',
    { params: { path } },
    { select: ({ result }) => result.filter((link) => link.key === key) },
  );
  const create = $api.useMutation('post', '/v1/pools/{pool}/links');
  const revoke = $api.useMutation('delete', '/v1/pools/{pool}/links/{id}');
  const [hours, setHours] = useState<(typeof SPANS)[number]['value']>('24');
  const made = create.data && new URL(create.data.result.url, location.href).href;
  const end = (id: string): void =>
    revoke.mutate(
      { params: { path: { ...path, id } } },
      {
        onSuccess: () => {
          void refresh.poolLinks();
          toast.success('The link is ended.');
        },
        onError: (thrown) => void toast.error(`The link was not ended. ${ApiError.from(thrown).message}`),
      },
    );
  return (
    <section aria-label="Links" className="text-sm">
      <p className="font-medium">Links</p>
      <p className="mt-0.5 text-xs text-ink-2">Whoever has such an address gets the object without a token.</p>
      <div className="mt-2 flex flex-wrap items-center gap-2">
        <Segmented label="How long it serves" value={hours} options={SPANS} onChange={setHours} />
        <Button
          size="sm"
          pending={create.isPending}
          onClick={() =>
            create.mutate(
              { params: { path }, body: { key, expires_in: Number(hours) * HOUR_S } },
              { onSuccess: () => void refresh.poolLinks() },
            )
          }
        >
          {!create.isPending && <Link2 aria-hidden />}
          Make a link
        </Button>
      </div>
      <ErrorNote className="mt-2" error={create.error ?? links.error} lead="That did not work." />
      {made !== undefined && (
        <p role="status" className="mt-2 flex items-center gap-1 rounded-lg bg-accent-soft px-3 py-2 text-xs">
          <code className="min-w-0 font-mono break-all">{made}</code>
          <CopyButton text={made} what="link" />
          <span className="shrink-0 text-ink-2">shown this once</span>
        </p>
      )}
      {links.data !== undefined && links.data.length > 0 && (
        <ul aria-label="Links" className="mt-2 flex flex-col gap-1 text-xs text-ink-2">
          {links.data.map(({ id, created_at: at, expires_at: until }) => (
            <li key={id} className="flex items-center gap-3">
              <span className="min-w-0 flex-1">
                made <RelativeTime at={at} />, ends <RelativeTime at={until} />
              </span>
              <Button size="sm" tone="quiet" pending={revoke.isPending} onClick={() => end(id)}>
                <Link2Off aria-hidden />
                End it
              </Button>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
