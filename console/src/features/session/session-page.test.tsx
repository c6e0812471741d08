import { screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aLogin, aProxy, aSession } from '@/test/samples';
import type { SessionSummary } from '@/lib/types';
import { SessionPage } from './session-page';

const me = {
  '@type': 'user',
  id: 777123,
  first_name: 'Support',
  last_name: 'Desk',
  usernames: { active_usernames: ['acme_support_bot'] },
};
const answers = (session: SessionSummary, more: Answers = {}): Answers => ({
  'GET /v1/sessions': () => ok([session]),
  [`GET /v1/${session.kind}/${session.id}`]: () => ok({ ...session, me }),
  'GET /v1/proxies': () => ok([aProxy]),
  [`GET /v1/${session.kind}/${session.id}/sends`]: () => ok([]),
  ...more,
});
const open = (session: SessionSummary, more?: Answers) =>
  renderWithApi(<SessionPage />, answers(session, more), `/sessions/view/?id=${session.id}`);

it('tells who is signed in', async () => {
  open(aSession());
  expect(await screen.findByText('Support Desk')).toBeVisible();
  expect(screen.getByRole('heading', { name: 'support-bot', level: 1 })).toBeVisible();
  expect(screen.getByText('777123')).toBeVisible();
});

it('says that there is no such session instead of loading for ever', async () => {
  renderWithApi(<SessionPage />, answers(aSession()), '/sessions/view/?id=other');
  expect(await screen.findByRole('heading', { name: 'There is no such session' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'All sessions' })).toHaveAttribute('href', '/sessions/');
});

it.each([
  ['a ban', 'Next step', aLogin({ status: 'banned', last_error: 'USER_DEACTIVATED_BAN' }), /USER_DEACTIVATED_BAN/],
  ['a bad health', 'Health', aSession({ health: 'down', health_cause: 'no network' }), /Health: Down.*no network/],
  ['a spam limit', 'Spam limit', aSession({ spam_limited: true }), /limits this account/],
])('explains %s and what to do', async (_, region, session, words) => {
  open(session);
  expect(await screen.findByRole('region', { name: region })).toHaveTextContent(words);
});

it('tells state and health apart, each with its own act', async () => {
  const session = aLogin({
    status: 'connecting',
    health: 'down',
    health_cause: 'cannot connect to the proxy',
    proxy_id: aProxy.id,
  });
  const { user } = open(session, {
    [`POST /v1/proxies/${aProxy.id}/test`]: () => ok({ reachable: false, reason: 'Connection refused' }),
  });
  expect(await screen.findByRole('region', { name: 'Next step' })).toHaveTextContent('Connecting');
  const health = screen.getByRole('region', { name: 'Health' });
  expect(health).toHaveTextContent('cannot connect to the proxy');
  await user.click(within(health).getByRole('button', { name: 'Test its proxy' }));
  await waitFor(() => expect(health).toHaveTextContent('No answer: Connection refused'));
});

it('restarts a session that is down without a proxy', async () => {
  const session = aSession({ health: 'down', health_cause: 'no network' });
  const { user, sent } = open(session, {
    [`POST /v1/bot/${session.id}/stop`]: () => ok({ ...session, status: 'stopped' }),
    [`POST /v1/bot/${session.id}/start`]: () => ok(session),
  });
  await user.click(await screen.findByRole('button', { name: 'Restart' }));
  await waitFor(() =>
    expect(sent.filter(({ route }) => route.startsWith('POST')).map(({ route }) => route.split('/').at(-1))).toEqual([
      'stop',
      'start',
    ]),
  );
});

it('says which worker a session waits for, and that it need not be helped', async () => {
  const cause = "waiting for w1, which stopped answering but still has the session's database open";
  open(aSession({ health: 'down', health_cause: cause }));
  const notice = await screen.findByRole('region', { name: 'Health' });
  expect(notice).toHaveTextContent(`Cause: ${cause}.`);
  expect(notice).toHaveTextContent('It goes on by itself');
  expect(within(notice).getByRole('link', { name: 'Workers' })).toBeVisible();
  expect(within(notice).queryByRole('button')).not.toBeInTheDocument();
});

it('leads to the workers when none holds the session', async () => {
  open(aSession({ health: 'down', health_cause: 'no live worker holds the session' }));
  const health = await screen.findByRole('region', { name: 'Health' });
  expect(within(health).getByRole('link', { name: 'Workers' })).toHaveAttribute('href', '/workers/');
});

it('shows the dates of a freeze and leads to the appeal', async () => {
  open(
    aSession({
      frozen: true,
      frozen_since: '2026-11-01T00:00:00.000Z',
      deletion_date: '2027-01-15T00:00:00.000Z',
      appeal_link: 'https://t.me/spambot?start=appeal',
    }),
  );
  const notice = await screen.findByRole('region', { name: 'Frozen' });
  expect(notice).toHaveTextContent(/since/);
  expect(notice).toHaveTextContent(/Telegram deletes it .*2027/);
  expect(within(notice).getByRole('link', { name: 'Appeal' })).toHaveAttribute(
    'href',
    'https://t.me/spambot?start=appeal',
  );
});

it('makes no link of an appeal that is none', async () => {
  open(aSession({ frozen: true, appeal_link: 'javascript:alert(1)' }));
  const notice = await screen.findByRole('region', { name: 'Frozen' });
  expect(within(notice).queryByRole('link')).not.toBeInTheDocument();
});

it("does not call an operator's own stop an error", async () => {
  open(aSession({ status: 'stopped', last_error: 'stopped by its operator' }));
  const notice = await screen.findByRole('region', { name: 'Next step' });
  expect(notice).toHaveTextContent('Stopped by an operator');
  expect(notice).not.toHaveTextContent('Last error');
});

describe.each(['expired', 'logged_out', 'banned', 'error'] as const)('a session that is %s', (status) => {
  it('is logged in again under the same id, as a user by code or QR', async () => {
    const session = aLogin({ status });
    const { user, sent } = open(session, {
      [`POST /v1/user/${session.id}/login`]: () => ok({ ...session, status: 'awaiting_code' }),
    });
    await user.click(await screen.findByRole('button', { name: 'Log in again' }));
    const dialog = screen.getByRole('dialog', { name: 'Log ops in again' });
    expect(within(dialog).getByRole('button', { name: 'Show a QR code' })).toBeVisible();
    await user.click(within(dialog).getByRole('button', { name: 'Send a code to +15550142' }));
    await waitFor(() => expect(new URLSearchParams(window.location.search).get('login')).toBe(session.id));
    expect(sent.find(({ route }) => route.endsWith('/login'))?.text).toBe('{"method":"phone"}');
  });

  it('is logged in again as a bot with the stored token or a new one', async () => {
    const session = aSession({ status });
    let asked = 0;
    const { user, sent } = open(session, {
      [`POST /v1/bot/${session.id}/login`]: () => {
        asked += 1;
        return asked === 1
          ? refused(400, { source: 'tdlib', code: 400, message: 'ACCESS_TOKEN_EXPIRED' })
          : ok({ ...session, status: 'authorized' });
      },
    });
    await user.click(await screen.findByRole('button', { name: 'Log in again' }));
    const dialog = screen.getByRole('dialog', { name: 'Log support-bot in again' });
    await user.click(within(dialog).getByRole('button', { name: 'Log in again' }));
    expect(await within(dialog).findByRole('alert')).toHaveTextContent('This bot token was revoked');
    await user.type(within(dialog).getByLabelText(/^New bot token/), '123:new{Enter}');
    await waitFor(() => expect(dialog).not.toBeInTheDocument());
    expect(sent.filter(({ route }) => route.endsWith('/login')).map(({ text }) => text)).toEqual([
      '{}',
      '{"token":"123:new"}',
    ]);
  });
});

it('leads to the login that waits already for the same number', async () => {
  const session = aLogin({ status: 'expired' });
  const { user } = open(session, {
    [`POST /v1/user/${session.id}/login`]: () =>
      refused(409, { code: 'login_in_progress', message: 'a login waits', session_id: 'other' }),
  });
  await user.click(await screen.findByRole('button', { name: 'Log in again' }));
  await user.click(screen.getByRole('button', { name: 'Show a QR code' }));
  await user.click(await screen.findByRole('button', { name: 'Resume that login' }));
  expect(new URLSearchParams(window.location.search).get('login')).toBe('other');
});

it('leads from a waiting login back into it', async () => {
  const { user } = open(aLogin());
  await user.click(await screen.findByRole('button', { name: 'Resume login' }));
  expect(new URLSearchParams(window.location.search).get('login')).toBe(aLogin().id);
});

it('shows the last known state with a note when the owner cannot be asked', async () => {
  const session = aSession();
  open(session, {
    [`GET /v1/bot/${session.id}`]: () => refused(503, { code: 'no_live_worker', message: 'no live worker' }),
  });
  expect(await screen.findByRole('alert')).toHaveTextContent('no live worker');
  expect(screen.getByText('Ready')).toBeVisible();
});

it('shows what the server warns of', async () => {
  const session = aSession();
  open(session, { [`GET /v1/bot/${session.id}`]: () => ok({ ...session, warnings: ['the proxy can be passed by'] }) });
  expect(await screen.findByRole('list', { name: 'Warnings' })).toHaveTextContent('the proxy can be passed by');
});

describe('the call box', () => {
  it('shows the result with its time and request id', async () => {
    const session = aSession();
    const { user, sent } = open(session, { [`POST /v1/bot/${session.id}/call`]: () => ok(me) });
    await user.click(await screen.findByRole('button', { name: 'Send call' }));
    const answer = await screen.findByRole('region', { name: 'Answer' });
    expect(answer).toHaveTextContent('200 answered');
    expect(answer).toHaveTextContent(/\d+ ms/);
    expect(answer).toHaveTextContent('request-1');
    expect(within(answer).getByRole('region', { name: 'Result' })).toHaveTextContent('"id": 777123');
    expect(sent.find(({ route }) => route.endsWith('/call'))?.text).toBe('{"method":"getMe"}');
  });

  it("shows Telegram's refusal as an answer, not as a failure of the console", async () => {
    const session = aSession();
    const { user } = open(session, {
      [`POST /v1/bot/${session.id}/call`]: () =>
        refused(400, { source: 'tdlib', code: 400, message: 'Chat not found' }),
    });
    await user.click(await screen.findByRole('button', { name: 'Send call' }));
    const answer = await screen.findByRole('region', { name: 'Answer' });
    expect(answer).toHaveTextContent('400 refused');
    expect(answer).toHaveTextContent('"message": "Chat not found"');
  });

  it('sends nothing while the params are not JSON, and says why beside them', async () => {
    const { user, sent } = open(aSession());
    await user.type(await screen.findByLabelText(/^Params/), '{{ chat_id: 1 }');
    await user.click(screen.getByRole('button', { name: 'Send call' }));
    expect(screen.getByLabelText(/^Params/)).toBeInvalid();
    expect(sent.some(({ route }) => route.endsWith('/call'))).toBe(false);
  });

  it('fills in an example', async () => {
    const { user } = open(aSession());
    await user.selectOptions(await screen.findByLabelText('Start from'), 'Send a text');
    expect(screen.getByLabelText('Method')).toHaveValue('sendMessage');
    expect(screen.getByLabelText(/^Params/)).toHaveDisplayValue(/inputMessageText/);
  });

  it('tells examples that work as they are from those that need a chat', async () => {
    open(aLogin({ status: 'authorized' }));
    const examples = await screen.findByLabelText('Start from');
    const ready = within(examples).getByRole('group', { name: 'Work as they are' });
    expect(within(ready).getByRole('option', { name: 'My chats' })).toBeInTheDocument();
    expect(await within(ready).findByRole('option', { name: 'Write to Saved Messages' })).toBeInTheDocument();
    const toFill = within(examples).getByRole('group', { name: 'Need a chat filled in' });
    expect(within(toFill).getByRole('option', { name: 'Send a text' })).toBeInTheDocument();
  });

  it('shows the answer of each of several calls', async () => {
    const session = aSession();
    let calls = 0;
    const { user } = open(session, {
      [`POST /v1/bot/${session.id}/call`]: () => ok({ '@type': 'ok', call: (calls += 1) }),
    });
    for (const call of [1, 2, 3]) {
      await user.click(await screen.findByRole('button', { name: 'Send call' }));
      expect(await screen.findByText(`${call}`, { selector: 'pre span' })).toBeVisible();
    }
  });

  it('takes an older answer away when the next call cannot be sent', async () => {
    const session = aSession();
    const { user } = open(session, { [`POST /v1/bot/${session.id}/call`]: () => ok(me) });
    await user.click(await screen.findByRole('button', { name: 'Send call' }));
    await screen.findByRole('region', { name: 'Answer' });
    await user.type(screen.getByLabelText(/^Params/), '[1]'.replace('[', '[['));
    await user.click(screen.getByRole('button', { name: 'Send call' }));
    expect(screen.getByLabelText(/^Params/)).toBeInvalid();
    expect(screen.queryByRole('region', { name: 'Answer' })).not.toBeInTheDocument();
  });

  it('is taken along into the playground', async () => {
    const session = aSession();
    const { user } = open(session);
    await user.clear(await screen.findByLabelText('Method'));
    await user.type(screen.getByLabelText('Method'), 'getChat');
    expect(screen.getByRole('link', { name: 'Open in the playground' })).toHaveAttribute(
      'href',
      `/playground/?session=${session.id}&method=getChat`,
    );
  });

  it('is closed while the session is not ready', async () => {
    open(aLogin());
    expect(await screen.findByRole('button', { name: 'Send call' })).toBeDisabled();
  });
});

describe('its sends', () => {
  const session = aSession();
  const path = `GET /v1/bot/${session.id}/sends`;
  const send = { chat_id: 42, temporary_id: 11, status: 'pending', created_at: '2026-11-30T09:00:00.000Z' };

  it('are told with state, ids and the reason of a failure', async () => {
    open(session, {
      [path]: () =>
        ok([
          { ...send, status: 'sent', message_id: 99 },
          {
            ...send,
            temporary_id: 12,
            status: 'failed',
            error: { source: 'tdlib', code: 400, message: 'USER_IS_BLOCKED' },
          },
          { ...send, temporary_id: 13, status: 'unknown' },
        ]),
    });
    const rows = within(await screen.findByRole('list', { name: 'Sends' })).getAllByRole('listitem');
    expect(rows[0]).toHaveTextContent('Sent');
    expect(rows[0]).toHaveTextContent('final id 99');
    expect(rows[1]).toHaveTextContent('That person has blocked this account. 400 USER_IS_BLOCKED');
    expect(rows[2]).toHaveTextContent('cannot be learned');
  });

  it('are looked at again while one is on its way', async () => {
    let asked = 0;
    open(session, {
      [path]: () => {
        asked += 1;
        return ok([asked < 2 ? send : { ...send, status: 'sent', message_id: 99 }]);
      },
    });
    const list = await screen.findByRole('list', { name: 'Sends' });
    expect(list).toHaveTextContent('Pending');
    await waitFor(() => expect(list).toHaveTextContent('final id 99'));
  });

  it('are narrowed to those in one state', async () => {
    const failed = { ...send, status: 'failed', error: { source: 'tdlib', code: 400, message: 'USER_IS_BLOCKED' } };
    const { user } = open(session, {
      [path]: ({ url }) =>
        ok(url.searchParams.get('state') === 'failed' ? [failed] : [failed, { ...send, temporary_id: 12 }]),
    });
    await user.click(await screen.findByRole('radio', { name: 'Failed' }));
    await waitFor(() =>
      expect(within(screen.getByRole('list', { name: 'Sends' })).getAllByRole('listitem')).toHaveLength(1),
    );
  });

  it('come page by page', async () => {
    const { user } = open(session, {
      [path]: ({ url }) =>
        url.searchParams.get('cursor') === 'next'
          ? ok([{ ...send, temporary_id: 12, status: 'sent' }])
          : Response.json({ ok: true, result: [{ ...send, status: 'sent' }], next_cursor: 'next' }),
    });
    await user.click(await screen.findByRole('button', { name: 'Show older ones' }));
    await waitFor(() =>
      expect(within(screen.getByRole('list', { name: 'Sends' })).getAllByRole('listitem')).toHaveLength(2),
    );
    expect(screen.queryByRole('button', { name: 'Show older ones' })).not.toBeInTheDocument();
  });

  it('are explained while there are none', async () => {
    open(session);
    expect(await screen.findByText(/Nothing was sent yet/)).toBeVisible();
  });
});

describe('settings', () => {
  it('sends only what was changed', async () => {
    const session = aSession();
    const { user, sent } = open(session, { [`PATCH /v1/bot/${session.id}`]: () => ok({ status: 'updated' }) });
    const label = await screen.findByLabelText(/^Label/);
    await user.clear(label);
    await user.type(label, 'desk');
    await user.click(screen.getByRole('button', { name: 'Save changes' }));
    await waitFor(() => expect(sent.find(({ route }) => route.startsWith('PATCH'))?.text).toBe('{"label":"desk"}'));
  });

  it('clears a proxy by sending an empty one', async () => {
    const session = aSession({ proxy_id: aProxy.id });
    const { user, sent } = open(session, { [`PATCH /v1/bot/${session.id}`]: () => ok({ status: 'updated' }) });
    await screen.findByRole('option', { name: /Frankfurt/ });
    await user.selectOptions(screen.getByLabelText('Proxy'), 'No proxy of its own');
    await user.click(screen.getByRole('button', { name: 'Save changes' }));
    await waitFor(() => expect(sent.find(({ route }) => route.startsWith('PATCH'))?.text).toBe('{"proxy_id":""}'));
  });
});

describe('the end of a session', () => {
  it('has three acts with an explanation each, and says why one is closed', async () => {
    open(aSession({ status: 'stopped' }));
    const card = await screen.findByRole('region', { name: 'End this session' });
    expect(within(card).getByRole('button', { name: 'Stop' })).toBeDisabled();
    expect(within(card).getByRole('button', { name: 'Log out…' })).toBeDisabled();
    expect(within(card).getByRole('button', { name: 'Remove…' })).toBeEnabled();
    expect(card).toHaveTextContent('only a session that runs can tell Telegram');
    expect(card).toHaveTextContent('Telegram keeps the authorization');
  });

  it('explains that removing leaves the authorization at Telegram, and removes', async () => {
    const session = aSession();
    const { user, sent } = open(session, { [`DELETE /v1/bot/${session.id}`]: () => ok({ status: 'deleted' }) });
    await user.click(await screen.findByRole('button', { name: 'Remove…' }));
    const question = screen.getByRole('alertdialog', { name: 'Remove support-bot?' });
    expect(question).toHaveTextContent('Nothing changes at Telegram');
    await user.click(within(question).getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(sent.find(({ route }) => route.startsWith('DELETE'))?.url.search).toBe(''));
    expect(window.location.pathname).toBe('/sessions/');
  });

  it('logs a user account out only after its name was typed', async () => {
    const session = aLogin({ status: 'authorized' });
    const { user, sent } = open(session, { [`DELETE /v1/user/${session.id}`]: () => ok({ status: 'deleted' }) });
    await user.click(await screen.findByRole('button', { name: 'Log out…' }));
    const question = screen.getByRole('alertdialog', { name: 'Log ops out of Telegram?' });
    const act = within(question).getByRole('button', { name: 'Log out' });
    expect(act).toBeDisabled();
    await user.type(within(question).getByLabelText(/^Type/), 'ops');
    await user.click(act);
    await waitFor(() => expect(sent.find(({ route }) => route.startsWith('DELETE'))?.url.search).toBe('?logout=true'));
  });

  it('stops a session that then says how to start it again', async () => {
    let session = aSession();
    const { user } = renderWithApi(
      <SessionPage />,
      {
        'GET /v1/sessions': () => ok([session]),
        'GET /v1/proxies': () => ok([]),
        [`GET /v1/bot/${session.id}`]: () => ok(session),
        [`POST /v1/bot/${session.id}/stop`]: () => ok((session = aSession({ status: 'stopped' }))),
        [`POST /v1/bot/${session.id}/start`]: () => ok((session = aSession())),
      },
      `/sessions/view/?id=${session.id}`,
    );
    await user.click(await screen.findByRole('button', { name: 'Stop' }));
    await user.click(await screen.findByRole('button', { name: 'Start' }));
    await waitFor(() => expect(screen.queryByRole('button', { name: 'Start' })).not.toBeInTheDocument());
  });
});
