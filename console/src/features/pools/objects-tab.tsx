import { useInfiniteQuery } from '@tanstack/react-query';
import { ChevronRight, Copy, File as FileIcon, Folder, Info, PackageOpen, Trash2, Upload } from 'lucide-react';
import Link from 'next/link';
import { useState, type DragEvent, type ReactNode } from 'react';
import { ChooseFiles } from '@/components/files/choose-files';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { MenuItem, RowMenu } from '@/components/ui/menu';
import { RelativeTime } from '@/components/ui/relative-time';
import { EmptyState, ErrorNote, LoadFailed, LoadingRows } from '@/components/ui/states';
import { fetchClient } from '@/lib/api';
import { formatBytes } from '@/lib/bytes';
import { cn } from '@/lib/cn';
import { objectHref, objectQueue } from '@/lib/object-uploads';
import { poolHref } from '@/lib/overlays';
import { REFRESH_MS } from '@/lib/query-client';
import type { Pool, StoredObject } from '@/lib/types';
import { useUrlState } from '@/lib/url-state';
import { CopyObjectDialog, DeleteObjectDialog, ObjectDialog } from './object-dialogs';
import { fileName, objectName, visible } from './object-name';
import { ObjectUploads } from './object-uploads';

const PAGE = 100;
/** Keys have no folders of their own: as everywhere, slashes make them. */
const DELIMITER = '/';

function useObjects(poolId: string, prefix: string) {
  return useInfiniteQuery({
    // The second part is the path, by which everything that was loaded is found again after a change.
    queryKey: ['get', '/v1/pools/{pool}/objects', { poolId, prefix }],
    initialPageParam: undefined as string | undefined,
    queryFn: async ({ pageParam, signal }) => {
      const { data } = await fetchClient.GET('/v1/pools/{pool}/objects', {
        params: {
          path: { pool: poolId },
          query: {
            delimiter: DELIMITER,
            limit: PAGE,
            ...(prefix === '' ? {} : { prefix }),
            ...(pageParam === undefined ? {} : { cursor: pageParam }),
          },
        },
        signal,
      });
      return data?.result ?? { objects: [], prefixes: [] };
    },
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: REFRESH_MS,
  });
}

type Asked = { readonly what: 'show' | 'copy' | 'delete'; readonly object: StoredObject };

/** The objects of a pool, folder by folder; files can be dropped anywhere on them. */
export function ObjectsTab({ pool }: { pool: Pool }) {
  const prefix = useUrlState().get('prefix') ?? '';
  const [over, setOver] = useState(false);
  const [asked, setAsked] = useState<Asked>();
  const close = (): void => setAsked(undefined);
  const take = (files: readonly File[]): void => objectQueue.add(pool.id, prefix, files);
  const drop = (event: DragEvent): void => {
    event.preventDefault();
    setOver(false);
    const files = [...event.dataTransfer.files];
    // An object that was dragged and let go of here brings none.
    if (files.length > 0) take(files);
  };
  return (
    <div
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
      className={cn('flex flex-col gap-5 rounded-xl', over && 'outline-2 outline-offset-4 outline-accent')}
    >
      <ObjectUploads pool={pool} />
      <Card
        title="Objects"
        description={<Path pool={pool} prefix={prefix} />}
        flush
        aside={
          <ChooseFiles icon={Upload} tone="primary" multiple onChoose={take}>
            Upload files
          </ChooseFiles>
        }
      >
        <Listing key={prefix} pool={pool} prefix={prefix} onAsk={setAsked} />
        <p
          className={cn(
            'flex items-center justify-center gap-2.5 border-t border-line px-4 py-5 text-sm text-ink-2',
            over && 'bg-accent-soft text-accent-ink',
          )}
        >
          <Upload aria-hidden className="size-4" />
          Drop files here to store them{prefix === '' ? '' : ` in ${visible(prefix)}`}.
        </p>
      </Card>
      {asked?.what === 'show' && <ObjectDialog pool={pool} object={asked.object} onClose={close} />}
      {asked?.what === 'copy' && <CopyObjectDialog pool={pool} object={asked.object} onClose={close} />}
      {asked?.what === 'delete' && <DeleteObjectDialog pool={pool} object={asked.object} onClose={close} />}
    </div>
  );
}

/** Where one is, with the folders above as links. */
function Path({ pool, prefix }: { pool: Pool; prefix: string }) {
  const parts = prefix.split(DELIMITER).slice(0, -1);
  return (
    <nav aria-label="Folder" className="flex flex-wrap items-center gap-1">
      <Link href={poolHref(pool, 'objects')} className="rounded font-medium hover:text-ink">
        {pool.name}
      </Link>
      {parts.map((part, index) => {
        const folder = `${parts.slice(0, index + 1).join(DELIMITER)}${DELIMITER}`;
        return (
          <span key={folder} className="flex min-w-0 items-center gap-1">
            <ChevronRight aria-hidden className="size-3.5 shrink-0" />
            <Link
              href={poolHref(pool, 'objects', folder)}
              aria-current={folder === prefix ? 'page' : undefined}
              className="min-w-0 rounded break-all hover:text-ink"
            >
              {part === '' ? '(no name)' : visible(part)}
            </Link>
          </span>
        );
      })}
    </nav>
  );
}

interface ListingProps {
  pool: Pool;
  prefix: string;
  onAsk: (asked: Asked) => void;
}

function Listing({ pool, prefix, onAsk }: ListingProps) {
  const found = useObjects(pool.id, prefix);
  if (found.isPending) return <LoadingRows what="objects" rows={3} />;
  if (found.isLoadingError) return <LoadFailed what="objects" error={found.error} onRetry={found.refetch} />;
  const { pages } = found.data;
  const folders = pages.flatMap(({ prefixes }) => prefixes);
  const objects = pages.flatMap((page) => page.objects);
  if (folders.length + objects.length === 0) {
    return (
      <EmptyState icon={PackageOpen} title={prefix === '' ? 'No objects yet' : 'Nothing in this folder'}>
        {prefix === ''
          ? 'Files of any size: upload them here, by the API, or by S3.'
          : 'Folders are there as long as something is in them.'}
      </EmptyState>
    );
  }
  return (
    <>
      <ul aria-label="Objects" className="divide-y divide-line border-t border-line">
        {folders.map((folder) => (
          <Row key={folder} icon={Folder}>
            <Link href={poolHref(pool, 'objects', folder)} className="font-semibold break-all hover:text-accent-ink">
              {objectName(folder)}/
            </Link>
          </Row>
        ))}
        {objects.map((object) => (
          <ObjectRow key={object.key} pool={pool} object={object} onAsk={(what) => onAsk({ what, object })} />
        ))}
      </ul>
      {found.isFetchNextPageError && <ErrorNote className="m-4" error={found.error} lead="More could not be loaded." />}
      {found.hasNextPage && (
        <div className="border-t border-line px-4 py-2 sm:px-5">
          <Button size="sm" tone="quiet" pending={found.isFetchingNextPage} onClick={() => void found.fetchNextPage()}>
            Show more
          </Button>
        </div>
      )}
    </>
  );
}

interface RowProps {
  icon: typeof Folder;
  /** Of what can be dragged away. */
  onDragStart?: (event: DragEvent) => void;
  children: ReactNode;
}

function Row({ icon: Icon, onDragStart, children }: RowProps) {
  return (
    <li
      draggable={onDragStart !== undefined}
      onDragStart={onDragStart}
      className="flex min-h-13 items-center gap-3 px-4 py-2 text-sm sm:px-5"
    >
      <Icon aria-hidden className="size-4 shrink-0 text-ink-3" />
      {children}
    </li>
  );
}

/**
 * What a folder of the computer gets that an object is dragged to: the file, where the browser knows `DownloadURL` (Chromium's do), its
 * address elsewhere.
 */
function offer(transfer: DataTransfer, pool: Pool, object: StoredObject): void {
  const url = new URL(objectHref(pool.id, object.key), location.href).href;
  // The three are told apart by colons.
  const name = fileName(object.key).replaceAll(':', '_');
  transfer.effectAllowed = 'copy';
  transfer.setData('DownloadURL', `${object.content_type.replaceAll(':', '_')}:${name}:${url}`);
  transfer.setData('text/uri-list', url);
}

interface ObjectRowProps {
  pool: Pool;
  object: StoredObject;
  onAsk: (what: Asked['what']) => void;
}

function ObjectRow({ pool, object, onAsk }: ObjectRowProps) {
  const name = objectName(object.key);
  return (
    <Row icon={FileIcon} onDragStart={(event) => offer(event.dataTransfer, pool, object)}>
      <div className="min-w-0 flex-1">
        <button
          type="button"
          onClick={() => onAsk('show')}
          className="rounded text-left font-semibold break-all hover:text-accent-ink"
        >
          {name}
        </button>
        <p className="tabular flex flex-wrap gap-x-3 text-xs text-ink-2">
          <span>{formatBytes(object.size)}</span>
          <span className="min-w-0 break-all">{object.content_type}</span>
          <RelativeTime at={object.created_at} />
        </p>
      </div>
      <RowMenu label={`Actions for ${name}`}>
        <MenuItem icon={Info} onSelect={() => onAsk('show')}>
          Look at it
        </MenuItem>
        <MenuItem icon={Copy} onSelect={() => onAsk('copy')}>
          Copy
        </MenuItem>
        <MenuItem icon={Trash2} danger onSelect={() => onAsk('delete')}>
          Delete
        </MenuItem>
      </RowMenu>
    </Row>
  );
}
