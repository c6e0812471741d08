import { screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aCooldown, aLogin, aRule } from '@/test/samples';
import { LimitsTab } from './limits-tab';

const user = aLogin({ status: 'authorized' });
const path = `/v1/user/${user.id}/limits`;
const limits = (more: object = {}) => ({
  frozen: false,
  spam_limited: false,
  cooldowns: [],
  pace: { per_second: 1, max_wait: 10, length: 0, next_in: 0 },
  rules: [],
  ...more,
});
const open = (more: Answers = {}) =>
  renderWithApi(<LimitsTab session={user} />, {
    [`GET ${path}`]: () => ok(limits()),
    [`GET ${path}/floods`]: () => ok([]),
    [`GET ${path}/floods/counts`]: () => ok([]),
    ...more,
  });

it('says that nothing is closed, how fast the account writes, and that no rule is about it', async () => {
  open();
  expect(await screen.findByText(/^Nothing is closed/)).toBeVisible();
  expect(screen.getByText('1 per second')).toBeVisible();
  expect(screen.getByText('at once')).toBeVisible();
  expect(screen.getByText('No rule is about this session.')).toBeVisible();
  expect(await screen.findByText('None in this time.')).toBeVisible();
});

it('counts a cooldown down, and says in words and in those of Telegram why it runs', async () => {
  open({ [`GET ${path}`]: () => ok(limits({ cooldowns: [aCooldown({ retry_after: 3_725 })] })) });
  const row = within(await screen.findByRole('list', { name: 'Cooldowns' })).getByRole('listitem');
  expect(row).toHaveTextContent('Sending');
  expect(row).toHaveTextContent('Too Many Requests: retry after 300');
  const timer = within(row).getByRole('timer', { name: 'Left of Sending' });
  expect(timer).toHaveTextContent(/^1:02:0\d$/);
  const before = timer.textContent;
  await waitFor(() => expect(timer.textContent < before).toBe(true));
});

it('lifts a cooldown only with a reason, which goes to the server', async () => {
  const view = open({
    [`GET ${path}`]: () => ok(limits({ cooldowns: [aCooldown({ scope: 'spam_limit', reason: 'PEER_FLOOD' })] })),
    [`DELETE ${path}/cooldowns/spam_limit`]: () => ok({ status: 'lifted' }),
  });
  await view.user.click(await screen.findByRole('button', { name: 'Lift Writing to strangers' }));
  const dialog = await screen.findByRole('dialog', { name: 'Lift Writing to strangers?' });
  await view.user.click(within(dialog).getByRole('button', { name: 'Lift it' }));
  expect(await within(dialog).findByText(/^Say why/)).toBeVisible();
  await view.user.type(within(dialog).getByLabelText('Reason'), 'the bot says it is over');
  await view.user.click(within(dialog).getByRole('button', { name: 'Lift it' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  const lifted = view.sent.filter(({ route }) => route.startsWith('DELETE'));
  expect(lifted.map(({ url }) => url.searchParams.get('reason'))).toEqual(['the bot says it is over']);
});

it('tells which cooldowns were lifted early, and why', async () => {
  const at = new Date(Date.now() - 120_000).toISOString();
  const lifts = [
    { scope: 'spam_limit', at, reason: 'the bot says it is over' },
    { scope: 'getUser', at },
  ];
  const view = open({ [`GET ${path}`]: () => ok(limits({ lifts })) });
  await view.user.click(await screen.findByText('Lifted early (2)'));
  const rows = within(screen.getByRole('list', { name: 'Lifted early' })).getAllByRole('listitem');
  expect(rows[0]).toHaveTextContent(/^Writing to strangers .*: the bot says it is over$/);
  expect(rows[1]).toHaveTextContent(/^getUser .*, without a reason$/);
});

it('says why a cooldown was not lifted', async () => {
  const view = open({
    [`GET ${path}`]: () => ok(limits({ cooldowns: [aCooldown()] })),
    [`DELETE ${path}/cooldowns/@send`]: () => refused(404, { code: 'cooldown_not_found', message: 'no such cooldown' }),
    [`DELETE ${path}/cooldowns/%40send`]: () =>
      refused(404, { code: 'cooldown_not_found', message: 'no such cooldown' }),
  });
  await view.user.click(await screen.findByRole('button', { name: 'Lift Sending' }));
  await view.user.type(await screen.findByLabelText('Reason'), 'it is over');
  await view.user.click(screen.getByRole('button', { name: 'Lift it' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('no such cooldown');
});

it('shows who waits for the pace, and when the next may go', async () => {
  open({ [`GET ${path}`]: () => ok(limits({ pace: { per_second: 0.5, max_wait: 10, length: 3, next_in: 90 } })) });
  expect(await screen.findByText('3 calls')).toBeVisible();
  expect(screen.getByText('0.5 per second')).toBeVisible();
  expect(screen.getByText(/^in 1:[23]\d$/)).toBeVisible();
});

it('shows how much of each rule is used, and which rule stands in the place of another', async () => {
  const own = aRule({
    id: 'own',
    label: 'careful',
    session_id: user.id,
    max: 50,
    usage: { used: 50, window_end: '2999-01-01T00:00:00.000Z' },
  });
  open({ [`GET ${path}`]: () => ok(limits({ rules: [{ ...aRule(), replaced_by: 'own' }, own] })) });
  const rules = within(await screen.findByRole('list', { name: 'Rules' })).getAllByRole('listitem');
  expect(rules[0]).toHaveTextContent('“careful” stands in its place.');
  expect(within(rules[0] ?? document.body).queryByRole('progressbar')).not.toBeInTheDocument();
  const bar = within(rules[1] ?? document.body).getByRole('progressbar', { name: 'Used of careful' });
  expect(bar).toHaveAttribute('aria-valuenow', '100');
  expect(rules[1]).toHaveTextContent('50 of 50 used, refused until then');
});

it('draws the floods over time, with the same in a table, and lists them', async () => {
  const at = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000).toISOString();
  const view = open({
    [`GET ${path}/floods/counts`]: ({ url }) =>
      ok([
        {
          at: url.searchParams.get('by') === 'day' ? at : url.searchParams.get('from'),
          scope: '@send',
          count: 4,
          longest: 75,
        },
      ]),
    [`GET ${path}/floods`]: () =>
      ok([
        {
          id: 'f',
          at,
          origin: 'call',
          method: 'sendMessage',
          scope: '@send',
          chat_id: -100,
          code: 429,
          message: 'Too Many Requests: retry after 75',
          retry_after: 75,
        },
      ]),
  });
  const table = await screen.findByRole('table', { name: /^Floods by day/ });
  expect(within(table).getByRole('row', { name: /Sending 4 1:15$/ })).toBeVisible();
  expect(screen.getByRole('figure', { name: 'Floods by day' })).toHaveTextContent(
    '4 in this time, at most 4 in one day.',
  );
  expect(within(screen.getByRole('list', { name: 'Floods' })).getByRole('listitem')).toHaveTextContent(
    'sendMessage: 429',
  );
  await view.user.click(screen.getByRole('radio', { name: '24 hours' }));
  expect(await screen.findByRole('table', { name: /^Floods by hour/ })).toBeVisible();
});

it('keeps the ledger in sight when the worker cannot be asked', async () => {
  open({ [`GET ${path}`]: () => refused(503, { code: 'worker_unavailable', message: 'no worker' }) });
  expect(await screen.findByRole('alert')).toHaveTextContent('The limits could not be loaded');
  expect(screen.getByText('None in this time.')).toBeVisible();
});
