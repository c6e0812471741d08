import { useState, type ReactNode } from 'react';
import { toast } from 'sonner';
import { DownloadButton } from '@/components/files/download-button';
import { useSessionNames } from '@/components/session/use-session-names';
import { Button } from '@/components/ui/button';
import { CopyButton } from '@/components/ui/copy';
import { ConfirmCancel, ConfirmDialog, Dialog, DialogActions } from '@/components/ui/dialog';
import { Field, VerbatimInput } from '@/components/ui/field';
import { RelativeTime } from '@/components/ui/relative-time';
import { ErrorNote } from '@/components/ui/states';
import { $api } from '@/lib/api';
import { formatBytes } from '@/lib/bytes';
import { objectHref } from '@/lib/object-uploads';
import { useRefresh } from '@/lib/queries';
import type { Pool, StoredObject } from '@/lib/types';
import { ObjectLinks } from './object-links';
import { fileName, objectName, visible } from './object-name';
import { REMOTE_WORDS } from './pool-states';

/** Names an object in the query, where any key is what it is. */
function keyed(pool: Pool, { key }: StoredObject): { path: { pool: string; key: string }; query: { key: string } } {
  return { path: { pool: pool.id, key: '' }, query: { key } };
}

interface ObjectDialogProps {
  pool: Pool;
  object: StoredObject;
  onClose: () => void;
}

/** What is known of an object, its messages, and its bytes. */
export function ObjectDialog({ pool, object, onClose }: ObjectDialogProps) {
  return (
    <Dialog
      title={objectName(object.key)}
      description={`${formatBytes(object.size)} in ${pool.name}`}
      onClose={onClose}
      keepOnOutsideClick={false}
      className="sm:max-w-xl"
    >
      <div className="flex flex-col gap-5">
        <DownloadButton href={objectHref(pool.id, object.key)} name={fileName(object.key)} size={object.size} />
        <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-5 gap-y-2 text-sm">
          <Fact name="Key" copied={object.key}>
            {visible(object.key)}
          </Fact>
          <Fact name="Type">{object.content_type}</Fact>
          {object.sha256 !== undefined && (
            <Fact name="SHA-256" copied={object.sha256}>
              {object.sha256}
            </Fact>
          )}
          <Fact name="ETag" copied={object.etag}>
            {object.etag}
          </Fact>
          <Fact name="Put">
            <RelativeTime at={object.created_at} />
          </Fact>
          {Object.entries(object.metadata).map(([name, value]) => (
            <Fact key={name} name={name}>
              {value}
            </Fact>
          ))}
        </dl>
        <ObjectLinks pool={pool} object={object} />
        <Parts pool={pool} object={object} />
      </div>
    </Dialog>
  );
}

function Fact({ name, copied, children }: { name: string; copied?: string; children: ReactNode }) {
  return (
    <>
      <dt className="text-ink-2">{name}</dt>
      <dd className="min-w-0 break-all">
        {children}
        {copied !== undefined && <CopyButton text={copied} what={name} />}
      </dd>
    </>
  );
}

/** The messages that keep an object's bytes. */
function Parts({ pool, object }: { pool: Pool; object: StoredObject }) {
  const nameOf = useSessionNames();
  const stat = $api.useQuery(
    'get',
    '/v1/pools/{pool}/stat/{key}',
    { params: keyed(pool, object) },
    { select: ({ result }) => result },
  );
  if (stat.isError) return <ErrorNote error={stat.error} lead="Its messages could not be looked up." />;
  if (stat.isPending) return <p className="text-sm text-ink-2">Looking its messages up…</p>;
  const { parts } = stat.data;
  return (
    <div tabIndex={0} role="region" aria-label="Messages" className="max-h-56 overflow-auto">
      <table className="w-full text-xs">
        <caption className="pb-1 text-left text-sm font-medium">
          {parts.length === 1 ? 'In one message' : `In ${parts.length} messages`}
        </caption>
        <thead>
          <tr className="text-left text-ink-2">
            {['Message', 'Chat', 'By'].map((name) => (
              <th key={name} scope="col" className="py-1.5 pr-4 font-medium">
                {name}
              </th>
            ))}
            <th scope="col" className="py-1.5 text-right font-medium">
              Size
            </th>
          </tr>
        </thead>
        <tbody className="tabular divide-y divide-line">
          {parts.map((part) => (
            <tr key={part.n}>
              <th scope="row" className="py-1.5 pr-4 text-left font-medium">
                {part.message_id}
              </th>
              <td className="py-1.5 pr-4">{part.chat_id}</td>
              <td className="py-1.5 pr-4 break-words">{nameOf(part.uploader)}</td>
              <td className="py-1.5 text-right whitespace-nowrap">{formatBytes(part.size)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Makes another object of the same bytes; an object of that key is replaced only when that was said. */
export function CopyObjectDialog({ pool, object, onClose }: ObjectDialogProps) {
  const refresh = useRefresh();
  const copy = $api.useMutation('post', '/v1/pools/{pool}/copies');
  const [key, setKey] = useState(object.key);
  const [replaces, setReplaces] = useState(false);
  const submit = (): void =>
    copy.mutate(
      {
        params: { path: { pool: pool.id } },
        body: { from: { key: object.key }, to: { key } },
        headers: replaces ? {} : { 'If-None-Match': '*' },
      },
      {
        onSuccess: () => {
          void refresh.objects();
          toast.success('The object is copied.');
          onClose();
        },
      },
    );
  return (
    <Dialog
      title={`Copy ${objectName(object.key)}`}
      description="Both refer to the same messages: no bytes are moved."
      onClose={onClose}
    >
      <form
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          submit();
        }}
        className="flex flex-col gap-4"
      >
        <Field label="Key of the copy" hint="Slashes make folders.">
          {(wiring) => (
            <VerbatimInput {...wiring} autoFocus value={key} onChange={(event) => setKey(event.target.value)} />
          )}
        </Field>
        <label className="flex items-center gap-2.5 text-sm">
          <input
            type="checkbox"
            checked={replaces}
            onChange={(event) => setReplaces(event.target.checked)}
            className="size-4 shrink-0 accent-accent"
          />
          Replace an object that has this key
        </label>
        <ErrorNote error={copy.error} lead="It was not copied." />
        <DialogActions>
          <Button tone="quiet" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" tone="primary" pending={copy.isPending} disabled={key === '' || key === object.key}>
            Copy
          </Button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Asks, deletes, and says what became of the messages, which is not always what one would like. */
export function DeleteObjectDialog({ pool, object, onClose }: ObjectDialogProps) {
  const refresh = useRefresh();
  const remove = $api.useMutation('delete', '/v1/pools/{pool}/objects/{key}');
  const submit = (): void =>
    remove.mutate(
      { params: keyed(pool, object) },
      {
        onSuccess: ({ result: { deleted, remote } }) => {
          void refresh.objects();
          const said = deleted ? 'The object is deleted.' : 'The object was gone already.';
          if (remote === 'deleted' || remote === 'none') toast.success(said, { description: REMOTE_WORDS[remote] });
          else toast.warning(said, { description: REMOTE_WORDS[remote] });
          onClose();
        },
      },
    );
  return (
    <ConfirmDialog
      title={`Delete ${objectName(object.key)}?`}
      onClose={onClose}
      actions={
        <>
          <ConfirmCancel asChild>
            <Button>Keep it</Button>
          </ConfirmCancel>
          <Button tone="danger" pending={remove.isPending} onClick={submit}>
            Delete object
          </Button>
        </>
      }
    >
      <p className="break-all">{visible(object.key)}</p>
      <p>
        It cannot be brought back. Bots may delete messages for 48 hours: those of an older object stay in the chat,
        where nothing refers to them any more. Messages that a copy uses stay as well.
      </p>
      <ErrorNote error={remove.error} lead="The object was not deleted." />
    </ConfirmDialog>
  );
}
