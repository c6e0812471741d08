import { act, screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { anApp, aSession, aToken } from '@/test/samples';
import { NewTokenDialog } from './new-token-dialog';
import { TokensPage } from './tokens-page';

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
  });
  expect(within(shown).getByRole('status', { name: 'Token' })).toHaveTextContent(SECRET);
  expect(within(shown).getByRole('region', { name: 'A call with the token' })).toHaveTextContent(
    `curl -sS 'http://localhost/v1/bot/${aSession().id}/call' -H 'Authorization: Bearer ${SECRET}'`,
  );
});

it('makes a token for all sessions', async () => {
  const { user, sent } = open({ 'POST /v1/tokens': () => ok({ id: 'x', token: SECRET }) }, '/tokens/?new=token');
  await user.click(await screen.findByRole('radio', { name: /All sessions/ }));
  await user.click(screen.getByRole('button', { name: 'Make the token' }));
  await screen.findByRole('dialog', { name: 'Copy the token now' });
  expect(sent.find(({ route }) => route === 'POST /v1/tokens')?.text).toBe('{"all_sessions":true}');
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
    }),
  );
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
  await user.click(await screen.findByRole('radio', { name: /All sessions/ }));
  await user.click(screen.getByRole('button', { name: 'Make the token' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('session_ids[0]: no such session');
});

it('offers a retry when the list cannot be loaded', async () => {
  open({ 'GET /v1/tokens': () => refused(403, { message: 'no' }) });
  expect(await screen.findByRole('alert')).toHaveTextContent('The tokens could not be loaded');
});
