import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { objectQueue } from '@/lib/object-uploads';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { anObject, aPool, aSession } from '@/test/samples';
import { ObjectsTab } from './objects-tab';

const { id } = aPool();
const LIST = `GET /v1/pools/${id}/objects`;
const open = (more: Answers = {}, prefix = '') =>
  renderWithApi(
    <ObjectsTab pool={aPool()} />,
    {
      [LIST]: ({ url }) =>
        url.searchParams.get('prefix') === 'images/'
          ? ok({ objects: [anObject()], prefixes: [] })
          : ok({ objects: [anObject({ key: 'notes.txt' })], prefixes: ['images/'] }),
      'GET /v1/sessions': () => ok([aSession()]),
      ...more,
    },
    `/pools/view/?id=${id}&tab=objects${prefix === '' ? '' : `&prefix=${encodeURIComponent(prefix)}`}`,
  );

afterEach(() => {
  for (const upload of objectQueue.read()) objectQueue.remove(upload.id);
});

it('shows folders and objects, and asks for one level only', async () => {
  const { sent } = open();
  const list = await screen.findByRole('list', { name: 'Objects' });
  expect(within(list).getByRole('link', { name: 'images/' })).toHaveAttribute(
    'href',
    `/pools/view/?id=${id}&tab=objects&prefix=images%2F`,
  );
  expect(within(list).getByRole('button', { name: 'notes.txt' })).toBeVisible();
  expect(sent.find(({ route }) => route === LIST)?.url.searchParams.get('delimiter')).toBe('/');
});

it('leads back up from a folder', async () => {
  open({}, 'images/');
  const path = await screen.findByRole('navigation', { name: 'Folder' });
  expect(within(path).getByRole('link', { name: 'images' })).toHaveAttribute('aria-current', 'page');
  expect(within(path).getByRole('link', { name: 'store' })).toHaveAttribute(
    'href',
    `/pools/view/?id=${id}&tab=objects`,
  );
  expect(await screen.findByRole('button', { name: '1.tar' })).toBeVisible();
});

it('loads more where the list goes on', async () => {
  const { user } = open({
    [LIST]: ({ url }) =>
      url.searchParams.get('cursor') === 'next'
        ? ok({ objects: [anObject({ key: 'b' })], prefixes: [] })
        : ok({ objects: [anObject({ key: 'a' })], prefixes: [], next_cursor: 'next' }),
  });
  await user.click(await screen.findByText('Show more'));
  expect(await screen.findByRole('button', { name: 'b' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'a' })).toBeVisible();
});

it('takes dropped files into the folder that is open, and replaces nothing unasked', async () => {
  const heads: (string | null)[] = [];
  const { user } = open(
    {
      [`HEAD /v1/pools/${id}/objects/`]: ({ url }) => {
        heads.push(url.searchParams.get('key'));
        return new Response(null, { status: 200 });
      },
    },
    'images/',
  );
  const list = await screen.findByRole('list', { name: 'Objects' });
  fireEvent.drop(list, { dataTransfer: { files: [new File(['abc'], 'new.bin')] } });
  const uploads = await screen.findByRole('list', { name: 'Uploads of this page' });
  expect(await within(uploads).findByText('There is one already')).toBeVisible();
  expect(within(uploads).getByText('images/new.bin')).toBeVisible();
  expect(heads).toEqual(['images/new.bin']);
  await user.click(within(uploads).getByRole('button', { name: 'Take images/new.bin off the list' }));
  expect(screen.queryByText('images/new.bin')).not.toBeInTheDocument();
});

it('shows the messages of an object, and which bot has stored each', async () => {
  const part = { n: 1, size: 2_048, sha256: 'x', chat_id: -100, message_id: 42, uploader: aSession().id };
  const { user } = open(
    { [`GET /v1/pools/${id}/stat/`]: () => ok({ ...anObject(), parts: [{ ...part, stored_at: '' }] }) },
    'images/',
  );
  await user.click(await screen.findByRole('button', { name: '1.tar' }));
  const dialog = await screen.findByRole('dialog', { name: '1.tar' });
  expect(await within(dialog).findByRole('row', { name: /^42 -100 support-bot 2 KiB$/ })).toBeVisible();
  expect(within(dialog).getByText(anObject().etag)).toBeVisible();
  expect(within(dialog).getByRole('button', { name: 'Download' })).toBeVisible();
});

it.each(['..', 'a/.', 'a/../b?c#d%2e'])('opens, downloads and deletes what is named %j', async (key) => {
  const part = { n: 1, size: 2_048, sha256: 'x', chat_id: -100, message_id: 42, uploader: aSession().id };
  const { user, sent } = open({
    [LIST]: () => ok({ objects: [anObject({ key })], prefixes: [] }),
    [`GET /v1/pools/${id}/stat/`]: () => ok({ ...anObject({ key }), parts: [{ ...part, stored_at: '' }] }),
    [`GET /v1/pools/${id}/objects/`]: () => new Response('bytes'),
    [`DELETE /v1/pools/${id}/objects/`]: () => ok({ deleted: true, remote: 'deleted' }),
  });
  const list = await screen.findByRole('list', { name: 'Objects' });
  const [name] = within(list).getAllByRole('button');
  if (name === undefined) throw new Error('no object');
  await user.click(name);
  const dialog = await screen.findByRole('dialog');
  expect(await within(dialog).findByText('In one message')).toBeVisible();
  await user.click(within(dialog).getByRole('button', { name: 'Download' }));
  await waitFor(() => expect(sent.some(({ route }) => route === `GET /v1/pools/${id}/objects/`)).toBe(true));
  await user.click(within(dialog).getByRole('button', { name: 'Close' }));
  await user.click(screen.getByRole('button', { name: /^Actions for/ }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await user.click(await screen.findByRole('button', { name: 'Delete object' }));
  expect(await screen.findByText('The object is deleted.')).toBeVisible();
  const named = sent.filter(({ url }) => /\/(?:objects|stat)\/$/.test(url.pathname));
  expect(new Set(named.map(({ route }) => route)).size).toBe(3);
  expect(named.every(({ url }) => url.searchParams.get('key') === key)).toBe(true);
});

it('shows what no eye would see of a key, and stores nothing under the signs for it', async () => {
  const key = ' a\n';
  const { user, sent } = open({
    [LIST]: () => ok({ objects: [anObject({ key })], prefixes: ['\t/'] }),
    [`DELETE /v1/pools/${id}/objects/`]: () => ok({ deleted: true, remote: 'deleted' }),
  });
  const list = await screen.findByRole('list', { name: 'Objects' });
  expect(within(list).getByRole('button', { name: '␣a\\n' })).toBeVisible();
  expect(within(list).getByRole('link', { name: '\\t/' })).toHaveAttribute(
    'href',
    `/pools/view/?id=${id}&tab=objects&prefix=%09%2F`,
  );
  await user.click(screen.getByRole('button', { name: 'Actions for ␣a\\n' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await user.click(await screen.findByRole('button', { name: 'Delete object' }));
  expect(await screen.findByText('The object is deleted.')).toBeVisible();
  expect(sent.find(({ route }) => route.startsWith('DELETE'))?.url.searchParams.get('key')).toBe(key);
});

it('copies to another key, over another object only when told to', async () => {
  const { user, sent } = open(
    { [`POST /v1/pools/${id}/copies`]: () => ok(anObject({ key: 'images/2.tar' })) },
    'images/',
  );
  await user.click(await screen.findByRole('button', { name: 'Actions for 1.tar' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Copy' }));
  const input = await screen.findByLabelText('Key of the copy');
  await user.clear(input);
  await user.type(input, 'images/2.tar{Enter}');
  expect(await screen.findByText('The object is copied.')).toBeVisible();
  const copy = sent.find(({ route }) => route.endsWith('/copies'));
  expect(JSON.parse(copy?.text ?? '')).toEqual({ from: { key: 'images/1.tar' }, to: { key: 'images/2.tar' } });
  expect(copy?.headers.get('if-none-match')).toBe('*');
});

it.each([
  ['deleted', 'Messages that nothing else uses are deleted.'],
  ['none', 'It had no messages of its own.'],
  ['not_possible', /older than 48 hours/],
] as const)('says what became of the messages of a deleted object: %s', async (remote, words) => {
  const { user } = open({ [`DELETE /v1/pools/${id}/objects/`]: () => ok({ deleted: true, remote }) }, 'images/');
  await user.click(await screen.findByRole('button', { name: 'Actions for 1.tar' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  await user.click(await screen.findByRole('button', { name: 'Delete object' }));
  expect(await screen.findByText(words)).toBeVisible();
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
});

it('explains an empty pool, and offers a retry when the list cannot be loaded', async () => {
  const first = open({ [LIST]: () => ok({ objects: [], prefixes: [] }) });
  expect(await screen.findByRole('heading', { name: 'No objects yet' })).toBeVisible();
  first.unmount();
  open({ [LIST]: () => refused(503, { message: 'no' }) });
  expect(await screen.findByRole('alert')).toHaveTextContent('The objects could not be loaded');
});

it('gives an object to the folder that it is dragged to', async () => {
  open({}, 'images/');
  const given: Record<string, string> = {};
  const row = (await screen.findByRole('button', { name: '1.tar' })).closest('li');
  if (row === null) throw new Error('no row');
  expect(row).toHaveAttribute('draggable', 'true');
  fireEvent.dragStart(row, {
    dataTransfer: { setData: (type: string, data: string) => Object.assign(given, { [type]: data }) },
  });
  const url = new URL(`/v1/pools/${id}/objects/?key=images%2F1.tar`, location.href).href;
  expect(given).toEqual({ DownloadURL: `application/x-tar:1.tar:${url}`, 'text/uri-list': url });
});

it('makes a link to an object, shows its address once, and ends it', async () => {
  const link = {
    id: '6f1c2f8e-0000-4000-8000-000000000010',
    key: anObject().key,
    created_at: new Date().toISOString(),
    expires_at: new Date(Date.now() + 3_600_000).toISOString(),
  };
  const other = { ...link, id: '6f1c2f8e-0000-4000-8000-000000000011', key: 'another' };
  let links = [other];
  const path = `/v1/pools/${id}/links`;
  const view = open(
    {
      [`GET /v1/pools/${id}/stat/`]: () => ok({ ...anObject(), parts: [] }),
      [`GET ${path}`]: () => ok(links),
      [`POST ${path}`]: () => {
        links = [link, other];
        return ok({ ...link, url: '/d/secret' });
      },
      [`DELETE ${path}/${link.id}`]: () => {
        links = [other];
        return ok({ status: 'deleted' });
      },
    },
    'images/',
  );
  await view.user.click(await screen.findByRole('button', { name: '1.tar' }));
  const part = within(await screen.findByRole('region', { name: 'Links' }));
  await view.user.click(part.getByRole('radio', { name: 'An hour' }));
  await view.user.click(part.getByRole('button', { name: 'Make a link' }));
  expect(await part.findByText(new URL('/d/secret', location.href).href)).toBeVisible();
  const made = view.sent.find(({ route }) => route === `POST ${path}`);
  expect(JSON.parse(made?.text ?? '')).toEqual({ key: link.key, expires_in: 3_600 });
  const rows = await part.findAllByRole('listitem');
  expect(rows).toHaveLength(1);
  await view.user.click(part.getByRole('button', { name: 'End it' }));
  await waitFor(() => expect(part.queryByRole('listitem')).not.toBeInTheDocument());
});
