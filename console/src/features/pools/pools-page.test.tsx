import { screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aPool, aPoolStatus, aSession } from '@/test/samples';
import { NewPoolDialog } from './pool-dialogs';
import { PoolsPage } from './pools-page';

const free = aSession({ id: '6f1c2f8e-0000-4000-8000-0000000000b0', label: 'free-bot' });
const page = (
  <>
    <PoolsPage />
    <NewPoolDialog />
  </>
);
const open = (more: Answers = {}, address = '/pools/') =>
  renderWithApi(
    page,
    {
      'GET /v1/pools': () => ok([aPool()]),
      [`GET /v1/pools/${aPool().id}/status`]: () => ok(aPoolStatus()),
      'GET /v1/sessions': () => ok([aSession(), free]),
      ...more,
    },
    address,
  );
const bodyOf = (sent: readonly { route: string; text: string }[], route: string): unknown =>
  JSON.parse(sent.find((request) => request.route === route)?.text ?? '{}');

it('lists pools with their state, bots and objects', async () => {
  const backlog = { parts: 4, bytes: 100, oldest_s: 3 };
  open({
    'GET /v1/pools': () =>
      ok([aPool({ bots: [...aPool().bots, { session_id: 'other', state: 'quarantined', reason: 'kicked' }] })]),
    [`GET /v1/pools/${aPool().id}/status`]: () => ok(aPoolStatus({ state: 'degraded', backlog })),
  });
  expect(await screen.findByText('Degraded')).toBeVisible();
  expect(screen.getByText('1 of 2 bots')).toBeVisible();
  expect(screen.getByText('2 objects, 3 MiB')).toBeVisible();
  expect(screen.getByText('4 parts wait')).toBeVisible();
  expect(screen.getByRole('link', { name: 'store' })).toHaveAttribute('href', `/pools/view/?id=${aPool().id}`);
});

it('says that no worker runs a pool, not that it works', async () => {
  const { id } = aPool();
  open({ [`GET /v1/pools/${id}/status`]: () => refused(503, { code: 'pool_unavailable', message: 'no worker runs' }) });
  expect(await screen.findByText('Nobody runs it')).toBeVisible();
});

it('explains an empty list, and offers a retry when it cannot be loaded', async () => {
  const first = open({ 'GET /v1/pools': () => ok([]) });
  expect(await screen.findByRole('heading', { name: 'No pools yet' })).toBeVisible();
  first.unmount();
  open({ 'GET /v1/pools': () => refused(503, { message: 'no' }) });
  expect(await screen.findByRole('alert')).toHaveTextContent('The pools could not be loaded');
});

it('makes a pool of free bots, and goes to its page', async () => {
  const { user, sent } = open({ 'POST /v1/pools': () => ok(aPool({ id: 'new' })) }, '/pools/?new=pool');
  await user.type(await screen.findByLabelText('Name'), 'backups');
  await user.type(screen.getByLabelText('Chat'), '-1009');
  const bots = await screen.findByRole('group', { name: /^Bots/ });
  await user.click(await within(bots).findByRole('checkbox', { name: /free-bot/ }));
  expect(within(bots).queryByRole('checkbox', { name: /support-bot/ })).not.toBeInTheDocument();
  await user.click(screen.getByText('Make the pool'));
  await waitFor(() => expect(window.location.search).toBe('?id=new'));
  expect(bodyOf(sent, 'POST /v1/pools')).toEqual({
    name: 'backups',
    chat_id: -1009,
    session_ids: [free.id],
    chunk_size: 64 * 1_024 * 1_024,
    budget: { max: 20, window_s: 60, gap_ms: 1_000 },
    encryption: false,
    scrub: null,
  });
});

it('makes a pool that is encrypted, cleaned by a user, and checked by itself', async () => {
  const user = aSession({ id: '6f1c2f8e-0000-4000-8000-0000000000c0', kind: 'user', label: 'keeper' });
  const view = open(
    { 'POST /v1/pools': () => ok(aPool({ id: 'new' })), 'GET /v1/sessions': () => ok([aSession(), free, user]) },
    '/pools/?new=pool',
  );
  await view.user.type(await screen.findByLabelText('Name'), 'backups');
  await view.user.type(screen.getByLabelText('Chat'), '-1009');
  await view.user.click(await screen.findByRole('checkbox', { name: /free-bot/ }));
  await view.user.click(screen.getByRole('checkbox', { name: /^Encrypt new messages/ }));
  await view.user.selectOptions(screen.getByLabelText(/^Janitor/), 'keeper');
  await view.user.type(screen.getByLabelText(/^Check every/), '0');
  await view.user.click(screen.getByText('Make the pool'));
  expect(await screen.findByText('A whole number from 1 to 8760.')).toBeVisible();
  await view.user.clear(screen.getByLabelText(/^Check every/));
  await view.user.type(screen.getByLabelText(/^Check every/), '168');
  await view.user.click(screen.getByText('Make the pool'));
  await waitFor(() => expect(window.location.search).toBe('?id=new'));
  expect(bodyOf(view.sent, 'POST /v1/pools')).toMatchObject({
    encryption: true,
    janitor_session_id: user.id,
    scrub: { every_h: 168, sample: 5 },
  });
});

it('names what is wrong in the form before anything is sent', async () => {
  const { user, sent } = open({}, '/pools/?new=pool');
  await user.type(await screen.findByLabelText('Name'), 'Not A Name');
  await user.type(screen.getByLabelText('Chat'), '12');
  await user.click(screen.getByText('Make the pool'));
  expect(await screen.findByText(/^3 to 63 lower-case letters/)).toBeVisible();
  expect(screen.getByText(/^The id of a channel/)).toBeVisible();
  expect(screen.getByText('Choose at least one bot.')).toBeVisible();
  expect(sent.some(({ route }) => route === 'POST /v1/pools')).toBe(false);
});

it('says of each bot why it cannot store in the chat, and what to do', async () => {
  const { user } = open(
    {
      'POST /v1/pools': () =>
        refused(422, {
          code: 'no_usable_bot',
          message: 'none of the bots can store in the chat',
          details: { bots: [{ session_id: free.id, reason: 'it is no administrator of the chat' }] },
        }),
    },
    '/pools/?new=pool',
  );
  await user.type(await screen.findByLabelText('Name'), 'backups');
  await user.type(screen.getByLabelText('Chat'), '-1009');
  await user.click(await screen.findByRole('checkbox', { name: /free-bot/ }));
  await user.click(screen.getByText('Make the pool'));
  const note = await screen.findByRole('alert');
  expect(note).toHaveTextContent('free-bot: it is no administrator of the chat.');
  expect(note).toHaveTextContent('Make it an administrator of the chat');
});

it('pauses from the menu of a row', async () => {
  const { user, sent } = open({ [`PATCH /v1/pools/${aPool().id}`]: () => ok(aPool({ paused: true })) });
  await user.click(await screen.findByRole('button', { name: 'Actions for store' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Pause' }));
  expect(await screen.findByText('store is paused.')).toBeVisible();
  expect(bodyOf(sent, `PATCH /v1/pools/${aPool().id}`)).toEqual({ paused: true });
});

it('forgets objects only when that was said', async () => {
  const route = `DELETE /v1/pools/${aPool().id}`;
  const { user, sent } = open({
    [route]: ({ url }) =>
      url.searchParams.get('mode') === 'detach'
        ? ok({ status: 'deleted' })
        : refused(409, { code: 'pool_not_empty', message: 'the pool keeps 2 objects' }),
  });
  await user.click(await screen.findByRole('button', { name: 'Actions for store' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const question = await screen.findByRole('alertdialog');
  await user.click(within(question).getByRole('button', { name: 'Delete pool' }));
  expect(await within(question).findByText(/the pool keeps 2 objects/)).toBeVisible();
  await user.click(within(question).getByRole('checkbox', { name: 'Forget the objects' }));
  await user.click(within(question).getByRole('button', { name: 'Delete pool' }));
  await waitFor(() => expect(sent.filter((request) => request.route === route)).toHaveLength(2));
  expect(await screen.findByText('The pool is deleted.')).toBeVisible();
});
