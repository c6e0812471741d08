import { screen, waitFor, within } from '@testing-library/react';
import { SignInPage } from '@/features/sign-in';
import { renderWithApi, ok, refused, type Answers } from '@/test/render-with-api';
import { aSession, aWorker } from '@/test/samples';
import { ConsoleRoot } from './console-root';

const page = (
  <ConsoleRoot signIn={<SignInPage />} overlays={null}>
    <h1>The page</h1>
  </ConsoleRoot>
);
const noSession = () => refused(401, { code: 'unauthenticated', message: 'no console session' });
const session = () => ok({ csrf_token: 'csrf-1', expires_at: '2026-12-01T00:00:00.000Z' });
const basics: Answers = { 'GET /readyz': () => ok({ checks: [] }), 'GET /v1/sessions': () => ok([aSession()]) };

it('shows nothing of the console before somebody has signed in', async () => {
  renderWithApi(page, { ...basics, 'GET /v1/console/session': noSession });
  expect(await screen.findByRole('heading', { name: 'Sign in to tgcontrol' })).toBeVisible();
  expect(screen.queryByText('The page')).not.toBeInTheDocument();
});

it('resumes the session of the cookie after a reload, without a token', async () => {
  const { sent } = renderWithApi(page, { ...basics, 'GET /v1/console/session': session });
  expect(await screen.findByRole('heading', { name: 'The page' })).toBeVisible();
  expect(sent.every(({ headers }) => !headers.has('authorization'))).toBe(true);
});

it('trades the token for a session and keeps it nowhere', async () => {
  const { user, sent, container } = renderWithApi(page, {
    ...basics,
    'GET /v1/console/session': noSession,
    'POST /v1/console/session': session,
  });
  const input = await screen.findByLabelText('API token');
  expect(input).toHaveAttribute('type', 'password');
  await user.type(input, 'tgc_secret{Enter}');
  expect(await screen.findByRole('heading', { name: 'The page' })).toBeVisible();
  expect(sent.find(({ route }) => route === 'POST /v1/console/session')?.text).toBe('{"token":"tgc_secret"}');
  expect(container.innerHTML).not.toContain('tgc_secret');
  expect(JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])).not.toContain('tgc_secret');
});

it('says that the token is wrong beside the input and empties it', async () => {
  const { user } = renderWithApi(page, {
    ...basics,
    'GET /v1/console/session': noSession,
    'POST /v1/console/session': () => refused(401, { code: 'unauthenticated', message: 'invalid bearer token' }),
  });
  const input = await screen.findByLabelText('API token');
  await user.type(input, 'wrong{Enter}');
  await waitFor(() => expect(input).toHaveAccessibleDescription(/not the one the server was started with/));
  expect(input).toHaveValue('');
  expect(input).toHaveFocus();
});

it('says of a token with a scope that the console needs the master token', async () => {
  const message = 'this token is limited to its sessions: the console needs the master token';
  const { user } = renderWithApi(page, {
    ...basics,
    'GET /v1/console/session': noSession,
    'POST /v1/console/session': () => refused(403, { code: 'scope_denied', message }),
  });
  const input = await screen.findByLabelText('API token');
  await user.type(input, 'scoped{Enter}');
  await waitFor(() => expect(input).toHaveAccessibleDescription(/needs the master token/));
});

it('signs out with the reason when the server stops accepting the session', async () => {
  let accepted = true;
  const { user } = renderWithApi(page, {
    ...basics,
    'GET /v1/console/session': session,
    'GET /v1/sessions': () => (accepted ? ok([]) : noSession()),
  });
  await screen.findByRole('heading', { name: 'The page' });
  accepted = false;
  await user.keyboard('{Control>}k{/Control}');
  expect(await screen.findByText(/You were signed out/, undefined, { timeout: 8_000 })).toBeVisible();
}, 10_000);

it('stays signed in when Telegram, not the gateway, answers 401', async () => {
  renderWithApi(page, {
    ...basics,
    'GET /v1/console/session': session,
    'GET /v1/sessions': () => refused(401, { source: 'tdlib', code: 401, message: 'Unauthorized' }),
  });
  expect(await screen.findByRole('heading', { name: 'The page' })).toBeVisible();
  expect(screen.queryByText(/You were signed out/)).not.toBeInTheDocument();
});

it('sends the CSRF token with what changes something, and signs out', async () => {
  const { user, sent } = renderWithApi(page, {
    ...basics,
    'GET /v1/console/session': session,
    'DELETE /v1/console/session': () => ok({ status: 'deleted' }),
  });
  await user.click(await screen.findByRole('button', { name: 'Sign out' }));
  expect(await screen.findByText('You are signed out.')).toBeVisible();
  const end = sent.find(({ route }) => route === 'DELETE /v1/console/session');
  expect(end?.headers.get('x-csrf-token')).toBe('csrf-1');
});

it('offers a retry when the gateway does not answer at all', async () => {
  let up = false;
  const { user } = renderWithApi(page, {
    ...basics,
    'GET /v1/console/session': () => (up ? session() : Promise.reject(new TypeError('Failed to fetch'))),
  });
  expect(await screen.findByRole('alert')).toHaveTextContent('The gateway does not answer');
  up = true;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('heading', { name: 'The page' })).toBeVisible();
});

it('shows one banner with the cause while the database is away', async () => {
  renderWithApi(page, {
    ...basics,
    'GET /v1/console/session': session,
    'GET /readyz': () =>
      refused(503, {
        code: 'not_ready',
        message: 'not ready: database',
        details: { causes: { database: 'the database is not available' } },
      }),
  });
  expect(await screen.findByRole('alert')).toHaveTextContent('database: the database is not available');
});

it('says on every page what of the fleet is degraded, with the way there, until it is well again', async () => {
  let alive = false;
  renderWithApi(page, {
    ...basics,
    'GET /v1/console/session': session,
    'GET /v1/workers': () => ok([{ ...aWorker, alive }]),
    'GET /v1/pools': () => ok([]),
  });
  const banner = await screen.findByRole('alert');
  expect(banner).toHaveTextContent('No worker is alive');
  expect(within(banner).getByRole('link', { name: 'Workers' })).toHaveAttribute('href', '/workers/');
  alive = true;
  await waitFor(() => expect(screen.queryByRole('alert')).not.toBeInTheDocument());
});

it('goes to a page by g and its key, and opens the help with a question mark', async () => {
  const { user } = renderWithApi(page, { ...basics, 'GET /v1/console/session': session });
  await screen.findByRole('heading', { name: 'The page' });
  await user.keyboard('gs');
  expect(window.location.pathname).toBe('/sessions/');
  await user.keyboard('?');
  expect(screen.getByRole('dialog', { name: 'Keyboard shortcuts' })).toBeVisible();
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('finds a session by a few letters and opens it with Enter', async () => {
  const { user } = renderWithApi(page, { ...basics, 'GET /v1/console/session': session });
  await screen.findByRole('heading', { name: 'The page' });
  await user.keyboard('{Control>}k{/Control}');
  await user.type(screen.getByRole('combobox'), 'supp');
  expect(await screen.findByRole('option', { name: /support-bot/, selected: true })).toBeVisible();
  await user.keyboard('{Enter}');
  expect(window.location.search).toBe(`?id=${aSession().id}`);
});

it('chooses the theme and remembers it', async () => {
  const { user } = renderWithApi(page, { ...basics, 'GET /v1/console/session': session });
  await user.click(await screen.findByRole('radio', { name: 'Dark theme' }));
  expect(window.localStorage.getItem('tgcontrol.theme')).toBe('dark');
  expect(screen.getByRole('radio', { name: 'Dark theme' })).toBeChecked();
});

it('renews its CSRF token once when another tab has signed in again, and the act goes through', async () => {
  let asked = 0;
  const { user, sent } = renderWithApi(page, {
    ...basics,
    'GET /v1/console/session': () => {
      asked += 1;
      return ok({ csrf_token: `csrf-${asked}`, expires_at: '2026-12-01T00:00:00.000Z' });
    },
    'DELETE /v1/console/session': ({ headers }) =>
      headers.get('x-csrf-token') === 'csrf-2'
        ? ok({ status: 'deleted' })
        : refused(403, { code: 'csrf_failed', message: 'the header X-Csrf-Token is missing or wrong' }),
  });
  await user.click(await screen.findByRole('button', { name: 'Sign out' }));
  expect(await screen.findByText('You are signed out.')).toBeVisible();
  expect(sent.filter(({ route }) => route === 'DELETE /v1/console/session')).toHaveLength(2);
});
