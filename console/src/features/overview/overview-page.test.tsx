import { screen, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aLogin, anApp, aProxy, aSession, aWorker } from '@/test/samples';
import { OverviewPage } from './overview-page';

const fleet = (changes: Answers = {}): Answers => ({
  'GET /v1/sessions': () => ok([aSession()]),
  'GET /v1/apps': () => ok([anApp]),
  'GET /v1/proxies': () => ok([aProxy]),
  'GET /v1/workers': () => ok([aWorker]),
  ...changes,
});

it('leads an empty installation to its app first', async () => {
  const { user } = renderWithApi(
    <OverviewPage />,
    fleet({ 'GET /v1/sessions': () => ok([]), 'GET /v1/apps': () => ok([]), 'GET /v1/proxies': () => ok([]) }),
  );
  const steps = await screen.findByRole('region', { name: 'First steps' });
  expect(steps).toHaveTextContent('0 of 4 done');
  expect(within(steps).queryByRole('button', { name: 'Add a bot' })).not.toBeInTheDocument();
  await user.click(within(steps).getByRole('button', { name: 'Add the app' }));
  expect(window.location.search).toBe('?new=app');
});

it('leads to the call box once a session is ready, and is done after the first call', async () => {
  const first = renderWithApi(<OverviewPage />, fleet());
  expect(await screen.findByRole('link', { name: 'Open the call box' })).toHaveAttribute(
    'href',
    `/sessions/view/?id=${aSession().id}`,
  );
  first.unmount();
  window.localStorage.setItem('tgcontrol.first-call', 'yes');
  renderWithApi(<OverviewPage />, fleet());
  await screen.findByText(/Nothing\. Every session is ready/);
  expect(screen.queryByRole('region', { name: 'First steps' })).not.toBeInTheDocument();
});

it('can be told to hide the steps, and remembers it', async () => {
  const { user } = renderWithApi(<OverviewPage />, fleet());
  await user.click(await screen.findByRole('button', { name: 'Hide the first steps' }));
  expect(screen.queryByRole('region', { name: 'First steps' })).not.toBeInTheDocument();
});

it('lists what needs somebody with its cause and the next act', async () => {
  const { user } = renderWithApi(
    <OverviewPage />,
    fleet({
      'GET /v1/sessions': () =>
        ok([
          aSession({ id: 'fine', label: 'fine-bot' }),
          aSession({ id: 'ill', label: 'ill-bot', health: 'down', health_cause: 'proxy unreachable' }),
          aLogin(),
          aLogin({ id: 'lost', label: 'lost', status: 'logged_out', last_error: 'SESSION_REVOKED' }),
        ]),
    }),
  );
  expect(await screen.findByText(/proxy unreachable/)).toBeVisible();
  const needs = screen.getByRole('region', { name: 'Needs you' });
  expect(within(needs).getByText(/SESSION_REVOKED/)).toBeVisible();
  expect(within(needs).queryByText('fine-bot')).not.toBeInTheDocument();
  await user.click(within(needs).getByRole('button', { name: 'Resume login' }));
  expect(new URLSearchParams(window.location.search).get('login')).toBe(aLogin().id);
});

it('says that no worker is alive', async () => {
  renderWithApi(<OverviewPage />, fleet({ 'GET /v1/workers': () => ok([{ ...aWorker, alive: false }]) }));
  expect(await screen.findByText(/No worker is alive/)).toBeVisible();
});

it('counts sessions by state in words', async () => {
  renderWithApi(<OverviewPage />, fleet({ 'GET /v1/sessions': () => ok([aSession(), aLogin()]) }));
  const states = await screen.findByRole('region', { name: 'Sessions by state' });
  expect(await within(states).findByText('2 sessions in all')).toBeVisible();
  expect(within(states).getByText('Code needed')).toBeVisible();
});

it('keeps the rest of the page when one list fails', async () => {
  renderWithApi(<OverviewPage />, fleet({ 'GET /v1/sessions': () => refused(500, { message: 'internal error' }) }));
  expect(await screen.findByRole('alert')).toHaveTextContent('internal error');
  expect(await screen.findByRole('link', { name: /Workers alive\s*1/ })).toBeVisible();
});
