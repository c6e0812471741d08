import { screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aPool, aPoolBot, aPoolStatus, aSession } from '@/test/samples';
import { PoolPage } from './pool-page';

const { id } = aPool();
const bot = aSession().id;
const open = (more: Answers = {}) =>
  renderWithApi(
    <PoolPage />,
    {
      'GET /v1/pools': () => ok([aPool()]),
      [`GET /v1/pools/${id}/status`]: () => ok(aPoolStatus()),
      'GET /v1/sessions': () => ok([aSession()]),
      ...more,
    },
    `/pools/view/?id=${id}`,
  );

it('shows what a bot sends, how far it is, and its budget', async () => {
  const running = { object_id: 'o', part_id: 'p', bytes: 1_000, sent: 250, since: new Date().toISOString() };
  open({
    [`GET /v1/pools/${id}/status`]: () =>
      ok(
        aPoolStatus({
          backlog: { parts: 3, bytes: 2_048, oldest_s: 75 },
          bots: [aPoolBot({ state: 'uploading', running })],
        }),
      ),
  });
  const row = await screen.findByRole('listitem', { name: 'support-bot' });
  expect(await within(row).findByText('Sending')).toBeVisible();
  expect(within(row).getByRole('progressbar')).toHaveAttribute('aria-valuenow', '25');
  expect(row).toHaveTextContent('3 of 20 messages in 60 s');
  expect(screen.getByText(/^3 parts, 2 KiB, the oldest for 1:15$/)).toBeVisible();
});

it('counts a rest down, and ends it when told to', async () => {
  const until = new Date(Date.now() + 65_000).toISOString();
  const { user, sent } = open({
    [`GET /v1/pools/${id}/status`]: () =>
      ok(aPoolStatus({ state: 'saturated', bots: [aPoolBot({ state: 'cooling', rate_limited_until: until })] })),
    [`DELETE /v1/pools/${id}/bots/${bot}/cooldown`]: () => ok({ status: 'updated' }),
  });
  expect(await screen.findByRole('timer', { name: 'Rest of support-bot' })).toHaveTextContent(/^[01]:\d\d$/);
  await user.click(screen.getByRole('button', { name: 'End the rest of support-bot' }));
  await waitFor(() => expect(sent.some(({ route }) => route.endsWith('/cooldown'))).toBe(true));
});

it('says why a bot was put aside and what to do, and verifies', async () => {
  const reason = 'it may not delete messages of the chat';
  const aside = aPool({ bots: [{ session_id: bot, state: 'quarantined', reason }] });
  const { user } = open({
    'GET /v1/pools': () => ok([aside]),
    [`GET /v1/pools/${id}/status`]: () =>
      ok(aPoolStatus({ state: 'unavailable', bots: [aPoolBot({ state: 'quarantined', reason })] })),
    [`POST /v1/pools/${id}/verify`]: () => ok(aside),
  });
  const row = await screen.findByRole('listitem', { name: 'support-bot' });
  expect(row).toHaveTextContent(`${reason}. Give it the rights to post and to delete messages`);
  await user.click(within(row).getByRole('button', { name: 'Verify' }));
  expect(await screen.findByText('1 of 1 bots cannot do their work.')).toBeVisible();
});

it('shows the bots of a paused pool as paused, and its other settings', async () => {
  const scrub = { every_h: 168, sample: 5 };
  open({
    'GET /v1/pools': () => ok([aPool({ paused: true, encryption: true, janitor_session_id: bot, scrub })]),
    [`GET /v1/pools/${id}/status`]: () => ok(aPoolStatus({ state: 'paused' })),
  });
  const row = await screen.findByRole('listitem', { name: 'support-bot' });
  expect(await within(row).findByText('Paused')).toBeVisible();
  expect(within(row).queryByText('Free')).not.toBeInTheDocument();
  expect(screen.getByText('encrypted')).toBeVisible();
  expect(screen.getByText('every 168 h, with the bytes of 5 % of the messages')).toBeVisible();
});

it('changes nothing of the settings that nobody has touched', async () => {
  const scrub = { every_h: 168, sample: 5 };
  const { user, sent } = open({
    'GET /v1/pools': () => ok([aPool({ encryption: true, janitor_session_id: 'gone', scrub })]),
    [`PATCH /v1/pools/${id}`]: () => ok(aPool()),
  });
  await user.click(await screen.findByRole('button', { name: 'Actions for store' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  expect(await screen.findByText('The pool is changed.')).toBeVisible();
  const body: unknown = JSON.parse(sent.find(({ route }) => route.startsWith('PATCH'))?.text ?? '{}');
  expect(body).toMatchObject({ encryption: true, scrub });
  expect(body).not.toHaveProperty('janitor_session_id');
  await user.click(await screen.findByRole('button', { name: 'Actions for store' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  await user.selectOptions(screen.getByLabelText(/^Janitor/), 'None');
  await user.click(await screen.findByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent.filter(({ route }) => route.startsWith('PATCH'))).toHaveLength(2));
  expect(JSON.parse(sent.findLast(({ route }) => route.startsWith('PATCH'))?.text ?? '{}')).toMatchObject({
    janitor_session_id: null,
  });
});

it.each(['the session is not authorized: Telegram has banned the account', 'USER_DEACTIVATED_BAN'])(
  'says that a bot whose account is closed needs another in its place: %s',
  async (reason) => {
    const aside = aPool({ bots: [{ session_id: bot, state: 'quarantined', reason }] });
    open({ 'GET /v1/pools': () => ok([aside]) });
    const row = await screen.findByRole('listitem', { name: 'support-bot' });
    expect(row).toHaveTextContent('take it out, and add another bot in its place');
  },
);

it('takes a bot out, once it has sent its part or at once', async () => {
  const route = `DELETE /v1/pools/${id}/bots/${bot}`;
  const { user, sent } = open({ [route]: () => ok({ status: 'deleted' }) });
  await user.click(await screen.findByRole('button', { name: 'Actions for support-bot' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Take out' }));
  await user.click(await screen.findByRole('button', { name: 'Now' }));
  await waitFor(() =>
    expect(sent.find((request) => request.route === route)?.url.searchParams.get('drain')).toBe('false'),
  );
});

it('goes on with the registry’s word while nobody runs the pool', async () => {
  open({ [`GET /v1/pools/${id}/status`]: () => refused(503, { code: 'pool_unavailable', message: 'no worker runs' }) });
  expect(await screen.findByRole('alert')).toHaveTextContent('no worker runs');
  expect(screen.getByRole('listitem', { name: 'support-bot' })).toBeVisible();
});

it('says that there is no such pool', async () => {
  open({ 'GET /v1/pools': () => ok([]) });
  expect(await screen.findByRole('heading', { name: 'There is no such pool' })).toBeVisible();
});
