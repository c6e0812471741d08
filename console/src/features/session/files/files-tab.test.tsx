import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aLogin, aSession } from '@/test/samples';
import type { SessionSummary } from '@/lib/types';
import { SessionPage } from '../session-page';

const file = (id: number) => ({ '@type': 'file', id, size: 2_048, remote: { id: `remote-${id}` } });
const photo = (id: number) => ({
  '@type': 'message',
  id,
  chat_id: -100,
  date: 1_764_000_000,
  content: { '@type': 'messagePhoto', photo: { sizes: [{ width: 320, photo: file(id) }] } },
});
const video = {
  '@type': 'message',
  id: 9,
  chat_id: -100,
  date: 1_764_000_000,
  content: { '@type': 'messageVideo', video: { video: file(90), file_name: 'film.mp4', duration: 61 } },
};
const storage = {
  session_id: aSession().id,
  kind: 'bot',
  files: { bytes: 4_096, count: 2 },
  database_bytes: 1_024 ** 2,
  uploads: { bytes: 0, count: 0 },
};
/** Answers td_api calls by method. */
const calls = (byMethod: Record<string, (params: Record<string, unknown>) => unknown>): Answers[string] => {
  return ({ text }) => {
    const { method, params } = JSON.parse(text) as { method: string; params: Record<string, unknown> };
    const answer = byMethod[method];
    return answer ? ok(answer(params)) : refused(400, { source: 'tdlib', code: 400, message: `no ${method}` });
  };
};
function open(session: SessionSummary, more: Answers, query = '') {
  const at = `/v1/${session.kind}/${session.id}`;
  return renderWithApi(
    <SessionPage />,
    {
      'GET /v1/sessions': () => ok([session]),
      [`GET ${at}`]: () => ok(session),
      [`GET ${at}/storage`]: () => ok(storage),
      [`GET ${at}/sends`]: () => ok([]),
      ...more,
    },
    `/sessions/view/?id=${session.id}&tab=files${query}`,
  );
}
const user = aLogin({ status: 'authorized' });
const userCalls = calls({
  getChats: () => ({ '@type': 'chats', chat_ids: [-100] }),
  getChat: () => ({ '@type': 'chat', id: -100, title: 'News' }),
  searchChatMessages: ({ filter, from_message_id: from }) => {
    const isPhoto = (filter as { '@type': string })['@type'] === 'searchMessagesFilterPhoto';
    if (!isPhoto) return { messages: [video], next_from_message_id: 0 };
    return from === 0
      ? { messages: [photo(5)], next_from_message_id: 5 }
      : { messages: [photo(3)], next_from_message_id: 0 };
  },
});

it('shows the photos of a chat with their pictures, and older ones when asked', async () => {
  const { user: person } = open(user, { [`POST /v1/user/${user.id}/call`]: userCalls });
  await person.selectOptions(
    await screen.findByLabelText('Where'),
    await screen.findByRole('option', { name: 'News' }),
  );
  const list = await screen.findByRole('list', { name: 'Files' });
  expect(within(list).getAllByRole('button')).toHaveLength(1);
  expect(list.querySelector('img')).toHaveAttribute('src', `/v1/user/${user.id}/files/5?chat_id=-100&message_id=5`);
  await person.click(screen.getByRole('button', { name: 'Show older ones' }));
  await waitFor(() => expect(within(list).getAllByRole('button')).toHaveLength(2));
});

it('plays a video by its address, so that the browser asks for ranges', async () => {
  const { user: person } = open(user, { [`POST /v1/user/${user.id}/call`]: userCalls }, '&chat=-100&what=videos');
  await person.click(await screen.findByRole('button', { name: /film.mp4/ }));
  const dialog = screen.getByRole('dialog', { name: 'film.mp4' });
  expect(dialog).toHaveTextContent('2 KiB · 1:01');
  const player = dialog.querySelector('video');
  expect(player).toHaveAttribute('src', `/v1/user/${user.id}/files/90?chat_id=-100&message_id=9`);
  if (player) fireEvent.error(player);
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('The browser cannot show this file');
});

it('downloads with progress and can be cancelled', async () => {
  let answer: (response: Response) => void = () => undefined;
  const { user: person } = open(
    user,
    {
      [`POST /v1/user/${user.id}/call`]: userCalls,
      [`GET /v1/user/${user.id}/files/90`]: () => new Promise<Response>((resolve) => (answer = resolve)),
    },
    '&chat=-100&what=videos',
  );
  await person.click(await screen.findByRole('button', { name: /film.mp4/ }));
  await person.click(screen.getByRole('button', { name: 'Download' }));
  const body = new ReadableStream<Uint8Array>({ start: (controller) => controller.enqueue(new Uint8Array(1_024)) });
  answer(new Response(body, { headers: { 'Content-Length': '2048' } }));
  const bar = await screen.findByRole('progressbar', { name: 'Download of film.mp4' });
  await waitFor(() => expect(bar).toHaveAttribute('aria-valuenow', '50'));
  await person.click(screen.getByRole('button', { name: 'Cancel' }));
  expect(await screen.findByRole('button', { name: 'Download' })).toBeVisible();
});

it('says why a download failed, in the words of the server', async () => {
  const { user: person } = open(
    user,
    {
      [`POST /v1/user/${user.id}/call`]: userCalls,
      [`GET /v1/user/${user.id}/files/90`]: () =>
        refused(504, { code: 'download_stalled', message: 'nothing came from Telegram for 30 s' }),
    },
    '&chat=-100&what=videos',
  );
  await person.click(await screen.findByRole('button', { name: /film.mp4/ }));
  await person.click(screen.getByRole('button', { name: 'Download' }));
  expect(await screen.findByText(/nothing came from Telegram/)).toBeVisible();
});

it('lists what a bot has sent, because a bot cannot search chats', async () => {
  const bot = aSession();
  open(bot, {
    [`GET /v1/bot/${bot.id}/sends`]: () =>
      ok([{ chat_id: -100, temporary_id: 1, message_id: 5, status: 'sent', created_at: '2026-11-30T09:00:00.000Z' }]),
    [`POST /v1/bot/${bot.id}/call`]: calls({ getMessages: () => ({ messages: [photo(5), null] }) }),
  });
  expect(await screen.findByRole('button', { name: /Photo/ })).toBeVisible();
  expect(screen.getByRole('region', { name: 'Files' })).toHaveTextContent('Telegram does not let bots search chats');
  expect(screen.queryByLabelText('Where')).not.toBeInTheDocument();
});

it('opens a file by its remote id, with the name and type that the server tells', async () => {
  const bot = aSession();
  const { user: person, sent } = open(bot, {
    [`HEAD /v1/bot/${bot.id}/files/0`]: () =>
      new Response(null, {
        headers: {
          'Content-Type': 'image/png',
          'Content-Length': '2048',
          'Content-Disposition': 'attachment; filename="cat.png"',
        },
      }),
  });
  await person.type(await screen.findByLabelText('File id or remote id'), 'AgAD/x');
  await person.click(screen.getByRole('button', { name: 'Open' }));
  const dialog = await screen.findByRole('dialog', { name: 'cat.png' });
  expect(dialog.querySelector('img')).toHaveAttribute('src', `/v1/bot/${bot.id}/files/0?remote_id=AgAD%2Fx`);
  expect(sent.find(({ route }) => route.startsWith('HEAD'))?.url.searchParams.get('remote_id')).toBe('AgAD/x');
});

it('tells the disk use, and frees it after a question that says what stays', async () => {
  const bot = aSession();
  const { user: person, sent } = open(bot, {
    [`POST /v1/bot/${bot.id}/storage/optimize`]: () =>
      ok({ removed: { bytes: 4_096, count: 2 }, files: { bytes: 0, count: 0 } }),
  });
  const card = await screen.findByRole('region', { name: 'Disk use' });
  await waitFor(() => expect(card).toHaveTextContent('Files from Telegram2 files4 KiB'));
  await person.click(within(card).getByRole('button', { name: 'Free space…' }));
  const question = screen.getByRole('alertdialog');
  expect(question).toHaveTextContent('Telegram keeps the files');
  await person.click(within(question).getByRole('button', { name: 'Remove files' }));
  expect(await screen.findByText('2 files removed, 4 KiB freed.')).toBeVisible();
  expect(sent.find(({ route }) => route.endsWith('/optimize'))?.text).toBe('{"size":0,"ttl":0,"count":0}');
});

it('shows nothing of a session that is not ready, and says so', async () => {
  open(aSession({ status: 'stopped' }), {});
  expect(await screen.findByText('Files are shown once the session is ready.')).toBeVisible();
});
