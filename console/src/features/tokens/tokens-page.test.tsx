import { act, screen, waitFor, within } from '@testing-library/react';
import type { UserEvent } from '@testing-library/user-event';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { anApp, aPool, aSession, aToken } from '@/test/samples';
import { someMethods } from '@/test/td-samples';
import { NewTokenDialog } from './new-token-dialog';
import { showToken } from './shown-token';
import { TokensPage } from './tokens-page';

const OTHER_POOL = '00000000-0000-4000-8000-00000000b001';

afterEach(() => act(() => showToken(undefined)));

const page = (
  <>
    <TokensPage />
    <NewTokenDialog />
  </>
);
const open = (more: Answers = {}, address = '/tokens/') =>
  renderWithApi(
    page,
    {
      'GET /v1/tokens': () => ok([aToken]),
      'GET /v1/apps': () => ok([anApp]),
      'GET /v1/sessions': () => ok([aSession()]),
      'GET /v1/td/methods': () => ok(someMethods),
      'GET /v1/pools': () => ok([aPool(), aPool({ id: OTHER_POOL, name: 'archive' })]),
      ...more,
    },
    address,
  );
const SECRET = 'tgc_0123456789abcdef';

async function make(more: Answers = {}) {
  const view = open({ 'POST /v1/tokens': () => ok({ id: 'token-2', token: SECRET }), ...more }, '/tokens/?new=token');
  await view.user.type(await screen.findByLabelText(/^Label/), 'billing');
  await view.user.click(await screen.findByRole('checkbox', { name: /support-bot/ }));
  await view.user.click(screen.getByRole('button', { name: 'Make the token' }));
  return { ...view, shown: await screen.findByRole('dialog', { name: 'Copy the token now' }) };
}

it('lists what each token reaches, whether it is enabled, and when it was used', async () => {
  open();
  expect(await screen.findByText('billing service')).toBeVisible();
  expect(await screen.findByText('Sessions of acme; support-bot')).toBeVisible();
  expect(screen.getByText('Enabled')).toBeVisible();
  expect(screen.getByText('never used')).toBeVisible();
});

it('explains an empty list and opens the form', async () => {
  const { user } = open({ 'GET /v1/tokens': () => ok([]) });
  expect(await screen.findByRole('heading', { name: 'No tokens yet' })).toBeVisible();
  await user.click(screen.getAllByRole('button', { name: 'Make a token' })[0] ?? document.body);
  expect(await screen.findByRole('dialog', { name: 'Make an API token' })).toBeVisible();
});

it('makes a token for chosen sessions and shows it with a call that is ready to run', async () => {
  const { sent, shown } = await make();
  expect(JSON.parse(sent.find(({ route }) => route === 'POST /v1/tokens')?.text ?? '')).toEqual({
    name: 'billing',
    app_ids: [],
    session_ids: [aSession().id],
    classes: ['read', 'send', 'manage'],
  });
  expect(within(shown).getByRole('status', { name: 'Token' })).toHaveTextContent(SECRET);
  expect(within(shown).getByRole('region', { name: 'A call with the token' })).toHaveTextContent(
    `curl -sS 'http://localhost/v1/bot/${aSession().id}/call' -H 'Authorization: Bearer ${SECRET}'`,
  );
});

it('gives a token pools that are chosen by their names, and lets go of one that is gone', async () => {
  const gone = '00000000-0000-4000-8000-00000000dead';
  const { user, sent } = open({
    'GET /v1/tokens': () => ok([{ ...aToken, pool_ids: [gone] }]),
    'PATCH /v1/tokens/token-1': () => ok({ status: 'updated' }),
  });
  await user.click(await screen.findByRole('button', { name: 'Actions for billing service' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  await user.click(await screen.findByRole('checkbox', { name: 'archive' }));
  await user.click(screen.getByRole('checkbox', { name: /^A pool that is gone/ }));
  await user.selectOptions(screen.getByLabelText('In its pools it may'), 'write');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(JSON.parse(sent.find(({ route }) => route.startsWith('PATCH'))?.text ?? '{}')).toMatchObject({
      pool_ids: [OTHER_POOL],
      pool_access: 'write',
    }),
  );
});

it('makes a token for all sessions', async () => {
  const { user, sent } = open({ 'POST /v1/tokens': () => ok({ id: 'x', token: SECRET }) }, '/tokens/?new=token');
  await user.click(await screen.findByRole('radio', { name: /All sessions/ }));
  await user.click(screen.getByRole('button', { name: 'Make the token' }));
  await screen.findByRole('dialog', { name: 'Copy the token now' });
  expect(sent.find(({ route }) => route === 'POST /v1/tokens')?.text).toBe(
    '{"all_sessions":true,"classes":["read","send","manage"]}',
  );
});

it('asks for something to reach before a token is made', async () => {
  const { user, sent } = open({}, '/tokens/?new=token');
  await user.click(await screen.findByRole('button', { name: 'Make the token' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('Choose at least one app or session');
  expect(sent.some(({ route }) => route === 'POST /v1/tokens')).toBe(false);
});

it('keeps a token in sight that was not copied: over Esc, the back button and a first close', async () => {
  const { user, shown } = await make();
  await user.keyboard('{Escape}');
  act(() => window.history.replaceState(null, '', '/sessions/'));
  expect(shown).toBeVisible();
  expect(within(shown).queryByRole('button', { name: 'Close' })).not.toBeInTheDocument();
  await user.click(within(shown).getByRole('button', { name: 'I have stored it' }));
  expect(within(shown).getByRole('alert')).toHaveTextContent('cannot be seen again');
  await user.click(within(shown).getByRole('button', { name: 'Close without copying' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(document.body.textContent).not.toContain(SECRET);
});

it('closes at once after the token was copied, and keeps it nowhere', async () => {
  const { user, shown } = await make();
  const copied = jest.spyOn(navigator.clipboard, 'writeText');
  await user.click(within(shown).getByRole('button', { name: 'Copy token' }));
  expect(copied).toHaveBeenLastCalledWith(SECRET);
  await user.click(within(shown).getByRole('button', { name: 'Done' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])).not.toContain(SECRET);
});

it('disables and enables', async () => {
  let token = aToken;
  const { user, sent } = open({
    'GET /v1/tokens': () => ok([token]),
    'PATCH /v1/tokens/token-1': ({ text }) => {
      token = { ...token, ...(JSON.parse(text) as object) };
      return ok({ status: 'updated' });
    },
  });
  await user.click(await screen.findByRole('button', { name: 'Disable billing service' }));
  expect(await screen.findByText('Disabled')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Enable billing service' }));
  expect(await screen.findByText('Enabled')).toBeVisible();
  expect(sent.filter(({ route }) => route.startsWith('PATCH')).map(({ text }) => text)).toEqual([
    '{"enabled":false}',
    '{"enabled":true}',
  ]);
});

it('changes the label and the scope', async () => {
  const { user, sent } = open({ 'PATCH /v1/tokens/token-1': () => ok({ status: 'updated' }) });
  await user.click(await screen.findByRole('button', { name: 'Actions for billing service' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  await user.clear(await screen.findByLabelText(/^Label/));
  await user.click(await screen.findByRole('checkbox', { name: /^acme \(/ }));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(JSON.parse(sent.find(({ route }) => route.startsWith('PATCH'))?.text ?? '{}')).toEqual({
      name: '',
      all_sessions: false,
      app_ids: [],
      session_ids: [aSession().id],
      classes: ['read', 'send', 'manage'],
      methods: null,
      chats: null,
      expires_at: null,
      pool_ids: [],
      pool_access: 'read',
    }),
  );
});

/** Typed at once: letter by letter, a form of this size takes seconds on a busy machine. */
async function fill(user: UserEvent, label: string | RegExp, text: string): Promise<void> {
  await user.click(screen.getByLabelText(label));
  await user.paste(text);
}

const bodyOf = (sent: readonly { route: string; text: string }[], route: string): unknown =>
  JSON.parse(sent.find((request) => request.route === route)?.text ?? '{}');

it('limits a new token to classes, methods and chats, and to a time', async () => {
  const { user, sent } = open({ 'POST /v1/tokens': () => ok({ id: 'x', token: SECRET }) }, '/tokens/?new=token');
  await user.click(await screen.findByLabelText(/All sessions/));
  await user.click(screen.getByLabelText(/^Manage/));
  await user.click(screen.getByLabelText(/Only some methods/));
  await fill(user, 'Which methods', 'getMe, sendMessage');
  await user.click(screen.getByLabelText(/Only some chats/));
  await fill(user, 'Which chats', '-1001 777');
  await user.selectOptions(screen.getByLabelText('Expires'), 'In 30 days');
  const began = Date.now();
  await user.click(screen.getByText('Make the token'));
  await screen.findByRole('dialog', { name: 'Copy the token now' });
  const { expires_at, ...body } = bodyOf(sent, 'POST /v1/tokens') as { expires_at: string };
  expect(body).toEqual({
    all_sessions: true,
    classes: ['read', 'send'],
    methods: ['getMe', 'sendMessage'],
    chats: [-1001, 777],
  });
  expect(Date.parse(expires_at)).toBeGreaterThanOrEqual(began + 30 * 86_400_000);
  expect(Date.parse(expires_at)).toBeLessThanOrEqual(Date.now() + 30 * 86_400_000);
});

it('says what each class lets, and warns of the one that can take the account away', async () => {
  const { user } = open({}, '/tokens/?new=token');
  const account = await screen.findByLabelText(/^Account.*Change the password/);
  expect(screen.getByLabelText(/^Read.*Read chats and messages/)).toBeChecked();
  expect(account).not.toBeChecked();
  await user.click(account);
  expect(screen.getByText(/can take the account away from you/)).toBeVisible();
});

it('names what is wrong with the limits before anything is sent', async () => {
  const { user, sent } = open({}, '/tokens/?new=token');
  await user.click(await screen.findByLabelText(/All sessions/));
  await user.click(screen.getByLabelText(/Only some methods/));
  await fill(user, 'Which methods', 'getMe close');
  await user.click(screen.getByLabelText(/Only some chats/));
  await fill(user, 'Which chats', 'team');
  await user.selectOptions(screen.getByLabelText('Expires'), 'At a time…');
  await user.click(screen.getByText('Make the token'));
  expect(await screen.findByText('close is no method of td_api that may be called.')).toBeVisible();
  expect(screen.getByText(/^team is no chat id/)).toBeVisible();
  expect(screen.getByText('Choose a moment that is still to come.')).toBeVisible();
  expect(sent.some(({ route }) => route === 'POST /v1/tokens')).toBe(false);
});

it('shows the rights of each token, when it ends, and that an old secret still serves', async () => {
  const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000 + 60_000).toISOString();
  open({
    'GET /v1/tokens': () =>
      ok([
        { ...aToken, methods: ['getMe'], chats: [1, 2], expires_at: inDays(3), former_secrets_until: inDays(2) },
        { ...aToken, id: 'token-2', name: 'old', classes: ['read'], expires_at: inDays(-5) },
      ]),
  });
  expect(await screen.findByText('Read, send, manage; only 1 method; only in 2 chats')).toBeVisible();
  expect(screen.getByText('Expired')).toBeVisible();
  const [first, second] = screen.getAllByRole('listitem');
  expect(first).toHaveTextContent(/expires in 3d/);
  expect(first).toHaveTextContent(/the secret before ends in 2d/);
  expect(second).toHaveTextContent(/expired 4d ago/);
});

it('keeps the end of a token that is edited unless another is chosen', async () => {
  const expires_at = '2999-01-01T00:00:00.000Z';
  const { user, sent } = open({
    'GET /v1/tokens': () => ok([{ ...aToken, expires_at, chats: [5] }]),
    'PATCH /v1/tokens/token-1': () => ok({ status: 'updated' }),
  });
  await user.click(await screen.findByRole('button', { name: 'Actions for billing service' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  expect(await screen.findByLabelText('Which chats')).toHaveValue('5');
  await user.click(screen.getByLabelText(/All chats/));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent.some(({ route }) => route.startsWith('PATCH'))).toBe(true));
  const body = bodyOf(sent, 'PATCH /v1/tokens/token-1');
  expect(body).toMatchObject({ chats: null });
  expect(body).not.toHaveProperty('expires_at');
});

it('rotates: the new secret is shown once, the one before ends when it was said', async () => {
  const { user, sent } = open({
    'POST /v1/tokens/token-1/rotate': () =>
      ok({ id: 'token-1', token: SECRET, former_secrets_until: new Date(Date.now() + 7 * 86_400_000).toISOString() }),
  });
  await user.click(await screen.findByRole('button', { name: 'Actions for billing service' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Rotate' }));
  await user.click(await screen.findByLabelText(/For a week/));
  await user.click(screen.getByRole('button', { name: 'Make a new secret' }));
  const shown = await screen.findByRole('dialog', { name: 'Copy the token now' });
  expect(bodyOf(sent, 'POST /v1/tokens/token-1/rotate')).toEqual({ overlap: '7d' });
  expect(within(shown).getByRole('status', { name: 'Token' })).toHaveTextContent(SECRET);
  expect(shown).toHaveTextContent(/The one before goes on to work, and ends in [67]d/);
  await user.keyboard('{Escape}');
  expect(shown).toBeVisible();
  await user.click(within(shown).getByRole('button', { name: 'Copy token' }));
  await user.click(within(shown).getByRole('button', { name: 'Done' }));
});

it('tells all that limits a token, and whether a call would pass, with the reason', async () => {
  const { user, sent } = open({
    'GET /v1/tokens': () => ok([{ ...aToken, classes: ['read'], chats: [-1001] }]),
    'POST /v1/tokens/token-1/check': ({ text }) =>
      (JSON.parse(text) as { method: string }).method === 'getMe'
        ? ok({ allowed: true })
        : ok({
            allowed: false,
            status: 403,
            error: { source: 'gateway', code: 'scope_denied', message: 'sendMessage is of the class send' },
          }),
  });
  await user.click(await screen.findByRole('button', { name: 'Actions for billing service' }));
  await user.click(await screen.findByRole('menuitem', { name: 'What it may do' }));
  const dialog = await screen.findByRole('dialog', { name: 'What billing service may do' });
  expect(await within(dialog).findByText(/^5 of 9/)).toBeVisible();
  expect(within(dialog).getByText('No send')).toBeVisible();
  await user.click(within(dialog).getByRole('button', { name: 'Check' }));
  expect(await within(dialog).findByText(/^Yes: the call would be passed on/)).toBeVisible();
  await user.clear(within(dialog).getByLabelText('Method'));
  await fill(user, 'Method', 'sendMessage');
  expect(within(dialog).queryByText(/^Yes/)).not.toBeInTheDocument();
  await fill(user, /^Params/, '{"chat_id": 5');
  await user.click(within(dialog).getByRole('button', { name: 'Check' }));
  expect(await within(dialog).findByText('This is no JSON object.')).toBeVisible();
  await fill(user, /^Params/, '}');
  await user.click(within(dialog).getByRole('button', { name: 'Check' }));
  expect(await within(dialog).findByText('403 scope_denied')).toBeVisible();
  expect(dialog).toHaveTextContent('No: sendMessage is of the class send');
  expect(JSON.parse(sent.findLast(({ route }) => route.endsWith('/check'))?.text ?? '{}')).toEqual({
    method: 'sendMessage',
    session_id: aSession().id,
    params: { chat_id: 5 },
  });
});

it('deletes after a question that names the token', async () => {
  const { user, sent } = open({ 'DELETE /v1/tokens/token-1': () => ok({ status: 'deleted' }) });
  await user.click(await screen.findByRole('button', { name: 'Actions for billing service' }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const question = await screen.findByRole('alertdialog', { name: 'Delete billing service?' });
  expect(question).toHaveTextContent('tgc_abcd');
  await user.click(within(question).getByRole('button', { name: 'Delete token' }));
  await waitFor(() => expect(sent.some(({ route }) => route === 'DELETE /v1/tokens/token-1')).toBe(true));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
});

it('shows why a token was not made', async () => {
  const { user } = open(
    {
      'POST /v1/tokens': () =>
        refused(400, {
          code: 'validation_failed',
          message: 'invalid request',
          details: { issues: [{ path: 'session_ids[0]', message: 'no such session' }] },
        }),
    },
    '/tokens/?new=token',
  );
  await user.click(await screen.findByLabelText(/All sessions/));
  await user.click(screen.getByText('Make the token'));
  expect(await screen.findByRole('alert')).toHaveTextContent('session_ids[0]: no such session');
});

it('offers a retry when the list cannot be loaded', async () => {
  open({ 'GET /v1/tokens': () => refused(403, { message: 'no' }) });
  expect(await screen.findByRole('alert')).toHaveTextContent('The tokens could not be loaded');
});
