import { useState } from 'react';
import type { ViewedFile } from '@/components/files/file-viewer';
import { Button } from '@/components/ui/button';
import { Card } from '@/components/ui/card';
import { Field, VerbatimInput } from '@/components/ui/field';
import { ErrorNote } from '@/components/ui/states';
import { sendRaw } from '@/lib/api';
import { ApiError } from '@/lib/api-error';
import { nameFrom } from '@/lib/download';
import { fileHref, mediaOf, remoteFileHref } from '@/lib/message-file';
import type { SessionSummary } from '@/lib/types';

/** A HEAD has no body to say what is wrong; the status alone tells the most common cause. */
function explain(error: ApiError): ApiError {
  if (error.status !== 404 && error.status !== 400) return error;
  return new ApiError({
    message:
      'Telegram knows no such file for this session. File ids end with a restart of the session; remote ids stay.',
    status: error.status,
    source: 'gateway',
    requestId: error.requestId,
  });
}

/** A file that is known by its id only, such as one from an update. */
export function OpenFile({ session, onOpen }: { session: SessionSummary; onOpen: (file: ViewedFile) => void }) {
  const [id, setId] = useState('');
  const [isAsking, setIsAsking] = useState(false);
  const [failure, setFailure] = useState<ApiError>();
  const open = async (): Promise<void> => {
    const wanted = id.trim();
    if (wanted === '') return;
    setFailure(undefined);
    setIsAsking(true);
    const isNumber = /^\d{1,10}$/.test(wanted);
    const href = isNumber ? fileHref(session, Number(wanted)) : remoteFileHref(session, wanted);
    try {
      const response = await sendRaw(href, { method: 'HEAD' });
      if (!response.ok) throw explain(await ApiError.fromResponse(response));
      const mimeType = response.headers.get('content-type') ?? undefined;
      onOpen({
        href,
        name: nameFrom(response.headers.get('content-disposition')) ?? 'File',
        size: Number(response.headers.get('content-length') ?? 0),
        mimeType,
        media: mediaOf(mimeType),
        ...(isNumber ? { fileId: Number(wanted) } : { remoteId: wanted }),
      });
    } catch (thrown) {
      setFailure(ApiError.from(thrown));
    } finally {
      setIsAsking(false);
    }
  };
  return (
    <Card title="Open a file" description="By the id that an update or a message has of it.">
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void open();
        }}
        className="flex flex-col gap-3"
      >
        <Field label="File id or remote id">
          {(wiring) => (
            <VerbatimInput
              {...wiring}
              value={id}
              onChange={(event) => setId(event.target.value)}
              className="font-mono"
            />
          )}
        </Field>
        <ErrorNote error={failure} lead="The file was not opened." />
        <Button
          type="submit"
          className="self-start"
          pending={isAsking}
          disabled={id.trim() === '' || session.status !== 'authorized'}
        >
          Open
        </Button>
      </form>
    </Card>
  );
}
