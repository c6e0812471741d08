import { screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aSession } from '@/test/samples';
import type { ServerUpload, Storage } from '@/lib/types';
import { uploadQueue } from '@/lib/uploads';
import { FilesPage } from './files-page';

const ID = '0123456789abcdef0123456789abcdef';
const upload = (changes: Partial<ServerUpload> = {}): ServerUpload => ({
  upload_id: ID,
  name: 'report.pdf',
  owner: 'master',
  status: 'complete',
  offset: 2_048,
  length: 2_048,
  path: '/uploads/report.pdf',
  created_at: '2026-11-30T09:00:00.000Z',
  expires_at: '2026-11-30T11:00:00.000Z',
  ...changes,
});
const GIB = 1_024 ** 3;
const session = aSession();
const storage: Storage = {
  uploads: {
    bytes: 2_048,
    count: 1,
    quota_bytes: 10 * GIB,
    quota_per_token_bytes: GIB,
    free_bytes: 40 * GIB,
    total_bytes: 100 * GIB,
    min_free_bytes: GIB,
  },
  workers: [
    {
      worker_id: 'host-a',
      free_bytes: 40 * GIB,
      total_bytes: 100 * GIB,
      sessions: [
        {
          session_id: session.id,
          kind: 'bot',
          files: { bytes: 5 * 1_024 ** 2, count: 3 },
          database_bytes: 1_024 ** 2,
          uploads: { bytes: 0, count: 0 },
        },
      ],
    },
    { worker_id: 'host-b', error: 'it cannot be reached' },
  ],
};
const answers = (uploads: readonly ServerUpload[], more: Answers = {}): Answers => ({
  'GET /v1/files': () => ok(uploads),
  'GET /v1/storage': () => ok(storage),
  'GET /v1/sessions': () => ok([session]),
  'GET /v1/tokens': () => ok([{ id: 'token-1', name: 'billing service', prefix: 'tgc_abcd' }]),
  ...more,
});
const tus: Answers = {
  'POST /v1/uploads': () => new Response(null, { status: 201, headers: { Location: `/v1/uploads/${ID}` } }),
  [`PATCH /v1/uploads/${ID}`]: ({ text }) =>
    new Response(null, { status: 204, headers: { 'Upload-Offset': String(text.length) } }),
  [`POST /v1/files/${ID}/complete`]: () => ok({ path: '/uploads/hello.txt', size: 5 }),
};
const choose = (name: string | RegExp): HTMLInputElement => {
  const input = screen.getAllByLabelText(name).find((element) => element instanceof HTMLInputElement);
  if (!(input instanceof HTMLInputElement)) throw new Error(`there is no choice of files called ${String(name)}`);
  return input;
};

afterEach(() => uploadQueue.forget());

it('uploads a chosen file, says that it was checked, and gives what a call needs', async () => {
  const { user, sent } = renderWithApi(<FilesPage />, answers([], tus));
  await screen.findByRole('heading', { name: 'Nothing is kept at the moment' });
  await user.upload(choose('Upload files'), new File(['hello'], 'hello.txt'));
  const list = await screen.findByRole('list', { name: 'Uploads of this page' });
  expect(await within(list).findByText('Uploaded')).toBeVisible();
  expect(list).toHaveTextContent('hello.txt5 BSHA-256 checked');
  const part = sent.find(({ route }) => route.startsWith('PATCH'));
  expect(part?.headers.get('upload-checksum')).toBe('sha256 LPJNul+wow4m6DsqxbninhsWHlwfp0JecwQzYpOLmCQ=');
  const copied = jest.spyOn(navigator.clipboard, 'writeText');
  await user.click(within(list).getByRole('button', { name: 'Copy for a call' }));
  expect(copied).toHaveBeenCalledWith('{ "@type": "inputFileLocal", "path": "/uploads/hello.txt" }');
});

it('shows how far a cut upload is, that it goes on by itself, and lets it be paused and cancelled', async () => {
  const { user, sent } = renderWithApi(
    <FilesPage />,
    answers([], {
      ...tus,
      [`PATCH /v1/uploads/${ID}`]: () => Promise.reject(new TypeError('cut')),
      [`DELETE /v1/uploads/${ID}`]: () => new Response(null, { status: 204 }),
    }),
  );
  await user.upload(choose('Upload files'), new File(['hello'], 'hello.txt'));
  const list = await screen.findByRole('list', { name: 'Uploads of this page' });
  expect(await within(list).findByText('Cut off')).toBeVisible();
  expect(within(list).getByRole('progressbar', { name: 'Upload of hello.txt' })).toHaveAttribute('aria-valuenow', '0');
  expect(list).toHaveTextContent('the upload goes on by itself');
  await user.click(within(list).getByRole('button', { name: 'Cancel hello.txt' }));
  await waitFor(() => expect(sent.map(({ route }) => route)).toContain(`DELETE /v1/uploads/${ID}`));
  expect(screen.queryByText('hello.txt')).not.toBeInTheDocument();
});

it('goes on after a reload when the file is chosen again, and says when it is another one', async () => {
  const partial = upload({ name: 'hello.txt', status: 'partial', offset: 2, length: 5 });
  const { user, sent } = renderWithApi(
    <FilesPage />,
    answers([partial], {
      ...tus,
      [`HEAD /v1/uploads/${ID}`]: () =>
        new Response(null, { headers: { 'Upload-Offset': '2', 'Upload-Length': '5', 'Upload-Metadata': '' } }),
      [`PATCH /v1/uploads/${ID}`]: () => new Response(null, { status: 204, headers: { 'Upload-Offset': '5' } }),
    }),
  );
  const list = await screen.findByRole('list', { name: 'Uploads on the server' });
  expect(list).toHaveTextContent('2 B of 5 B');
  await user.upload(choose('Choose hello.txt and go on'), new File(['hello!'], 'hello.txt'));
  expect(await screen.findByText(/That is another file/)).toBeVisible();
  await user.upload(choose('Choose hello.txt and go on'), new File(['hello'], 'hello.txt'));
  await screen.findByText('Uploaded');
  const parts = sent.filter(({ route }) => route.startsWith('PATCH'));
  expect(parts.map(({ text }) => text)).toEqual(['llo']);
});

it('says whose an upload is, and removes none that is being sent', async () => {
  renderWithApi(<FilesPage />, answers([upload({ owner: 'token-1', status: 'in_use' })]));
  const list = await screen.findByRole('list', { name: 'Uploads on the server' });
  expect(list).toHaveTextContent('Being sent');
  await waitFor(() => expect(list).toHaveTextContent('of token billing service'));
  expect(within(list).getByRole('button', { name: 'Delete report.pdf' })).toBeDisabled();
});

it('deletes an upload after a question that says what stays', async () => {
  const { user, sent } = renderWithApi(
    <FilesPage />,
    answers([upload()], { [`DELETE /v1/files/${ID}`]: () => ok({ status: 'deleted' }) }),
  );
  await user.click(await screen.findByRole('button', { name: 'Delete report.pdf' }));
  const question = screen.getByRole('alertdialog', { name: 'Delete report.pdf?' });
  expect(question).toHaveTextContent('Messages that were sent with it keep their file.');
  await user.click(within(question).getByRole('button', { name: 'Delete upload' }));
  await waitFor(() => expect(sent.map(({ route }) => route)).toContain(`DELETE /v1/files/${ID}`));
});

it('tells the disk use of uploads and of each session, and which worker did not tell', async () => {
  renderWithApi(<FilesPage />, answers([]));
  const uploads = await screen.findByRole('region', { name: 'Uploads' });
  expect(uploads).toHaveTextContent('2 KiB of 10 GiB allowed');
  expect(uploads).toHaveTextContent('40 GiB of 100 GiB free');
  const worker = screen.getByRole('region', { name: 'Worker host-a' });
  expect(await within(worker).findByRole('link', { name: 'support-bot' })).toHaveAttribute(
    'href',
    `/sessions/view/?id=${session.id}&tab=files`,
  );
  expect(worker).toHaveTextContent('6 MiB3 files, database 1 MiB');
  expect(screen.getByRole('region', { name: 'Worker host-b' })).toHaveTextContent('it cannot be reached');
});

it('offers a retry where one of the lists fails, and shows the other', async () => {
  renderWithApi(<FilesPage />, answers([], { 'GET /v1/files': () => refused(503, { message: 'away' }) }));
  expect(await screen.findByRole('heading', { name: 'The uploads could not be loaded' })).toBeVisible();
  expect(await screen.findByRole('region', { name: 'Uploads' })).toBeVisible();
});
