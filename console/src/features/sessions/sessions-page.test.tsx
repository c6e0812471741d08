import { screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi } from '@/test/render-with-api';
import { aLogin, aSession } from '@/test/samples';
import { SessionsPage } from './sessions-page';

const list = (...sessions: unknown[]) => ({ 'GET /v1/sessions': () => ok(sessions) });
const rows = () => screen.getAllByRole('row').slice(1);

it('says that sessions are being loaded', () => {
  renderWithApi(<SessionsPage />, { 'GET /v1/sessions': () => new Promise(() => undefined) });
  expect(screen.getByRole('status')).toHaveTextContent('Loading sessions');
});

it('offers a retry with the request id when the gateway fails', async () => {
  let broken = true;
  const { user } = renderWithApi(<SessionsPage />, {
    'GET /v1/sessions': () => (broken ? refused(500, { message: 'internal error' }) : ok([aSession()])),
  });
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('The sessions could not be loaded');
  expect(alert).toHaveTextContent('internal error');
  expect(alert).toHaveTextContent('request-2');
  broken = false;
  await user.click(screen.getByRole('button', { name: 'Try again' }));
  expect(await screen.findByRole('link', { name: 'support-bot' })).toBeVisible();
});

it('tells an empty installation what a session is and opens the first act', async () => {
  const { user } = renderWithApi(<SessionsPage />, list());
  expect(await screen.findByRole('heading', { name: 'No sessions yet' })).toBeVisible();
  await user.click(screen.getAllByRole('button', { name: 'Add a bot' })[0] ?? document.body);
  expect(window.location.search).toBe('?new=bot');
});

it('shows each state as a word, with health apart', async () => {
  renderWithApi(<SessionsPage />, list(aSession({ health: 'degraded', health_cause: 'proxy unreachable' }), aLogin()));
  const bot = await screen.findByRole('row', { name: /support-bot/ });
  expect(within(bot).getByText('Ready')).toBeVisible();
  expect(within(bot).getByText('Degraded')).toBeVisible();
  expect(within(bot).getByText('proxy unreachable')).toBeVisible();
  const user = screen.getByRole('row', { name: /ops/ });
  expect(within(user).getByText('Code needed')).toBeVisible();
  expect(within(user).queryByText('Healthy')).not.toBeInTheDocument();
});

it('does not call a session ill that somebody has stopped', async () => {
  const stopped = aSession({ status: 'stopped', health: 'down', health_cause: 'stopped by its operator' });
  renderWithApi(<SessionsPage />, list(stopped));
  const row = await screen.findByRole('row', { name: /support-bot/ });
  expect(within(row).getByText('Stopped')).toBeVisible();
  expect(within(row).queryByText('Down')).not.toBeInTheDocument();
  expect(screen.getByRole('radio', { name: /Needs you\s*0/ })).toBeVisible();
});

it('puts what waits for somebody first', async () => {
  renderWithApi(<SessionsPage />, list(aSession({ id: 'a', label: 'a-bot' }), aLogin({ label: 'z-user' })));
  await screen.findByRole('link', { name: 'a-bot' });
  expect(rows()[0]).toHaveTextContent('z-user');
});

it('searches, and keeps the search in the address', async () => {
  const { user } = renderWithApi(<SessionsPage />, list(aSession(), aLogin()));
  await user.type(await screen.findByRole('searchbox'), '+1555');
  expect(rows()).toHaveLength(1);
  expect(rows()[0]).toHaveTextContent('ops');
  expect(new URLSearchParams(window.location.search).get('q')).toBe('+1555');
});

it('opens with the filters of the address, and can drop them', async () => {
  const { user } = renderWithApi(<SessionsPage />, list(aSession(), aLogin()), '/sessions/?state=stopped');
  expect(await screen.findByRole('heading', { name: 'No session fits' })).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Show all sessions' }));
  expect(rows()).toHaveLength(2);
});

it('counts what each state filter would show', async () => {
  const { user } = renderWithApi(<SessionsPage />, list(aSession(), aLogin()));
  expect(await screen.findByRole('radio', { name: /Needs you\s*1/ })).toBeVisible();
  await user.click(screen.getByRole('radio', { name: /Ready\s*1/ }));
  expect(rows()).toHaveLength(1);
  expect(rows()[0]).toHaveTextContent('support-bot');
});

it('resumes a waiting login from its row', async () => {
  const { user } = renderWithApi(<SessionsPage />, list(aLogin()));
  await user.click(await screen.findByRole('button', { name: 'Resume login' }));
  expect(new URLSearchParams(window.location.search).get('login')).toBe(aLogin().id);
});

it('draws at most a hundred rows at once', async () => {
  const many = Array.from({ length: 250 }, (_, index) => aSession({ id: `s-${index}`, label: `bot ${index}` }));
  const { user } = renderWithApi(<SessionsPage />, list(...many));
  expect(await screen.findByText('100 of 250 shown')).toBeVisible();
  await user.click(screen.getByRole('button', { name: 'Show more' }));
  expect(rows()).toHaveLength(200);
});

it('keeps the list in sight while a later poll fails', async () => {
  let polls = 0;
  renderWithApi(<SessionsPage />, {
    'GET /v1/sessions': () => {
      polls += 1;
      return polls === 1 ? ok([aSession()]) : refused(503, { code: 'database_unavailable', message: 'away' });
    },
  });
  expect(await screen.findByRole('link', { name: 'support-bot' })).toBeVisible();
  await waitFor(() => expect(polls).toBeGreaterThan(2), { timeout: 10_000 });
  expect(screen.getByRole('link', { name: 'support-bot' })).toBeVisible();
  expect(screen.queryByRole('alert')).not.toBeInTheDocument();
});
