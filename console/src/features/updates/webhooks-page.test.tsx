import { screen, within } from '@testing-library/react';
import { ok, refused, renderWithApi } from '@/test/render-with-api';
import { aSession, aSubscription } from '@/test/samples';
import { WebhooksPage } from './webhooks-page';

const one = aSession();
const other = aSession({ id: '6f1c2f8e-0000-4000-8000-000000000009', label: 'sales-bot' });
const of = (session: typeof one, changes: Parameters<typeof aSubscription>[0] = {}) => ({
  ...aSubscription(changes),
  session_id: session.id,
  session_kind: session.kind,
});

it('lists the webhooks of all sessions, what is wrong first, each with its session', async () => {
  renderWithApi(<WebhooksPage />, {
    'GET /v1/sessions': () => ok([one, other]),
    'GET /v1/subscriptions': () =>
      ok([
        of(one, { id: 'well', url: 'https://example.com/well' }),
        of(other, { id: 'ill', url: 'https://example.com/ill', state: 'failing' }),
      ]),
  });
  const list = await screen.findByRole('list', { name: 'Webhooks and streams' });
  await within(list).findByRole('link', { name: 'https://example.com/ill' });
  await within(list).findByRole('link', { name: 'https://example.com/well' });
  const [first, second] = within(list).getAllByRole('listitem');
  expect(first).toHaveTextContent(/ill.*sales-bot/);
  expect(second).toHaveTextContent(/well.*support-bot/);
});

it('says why the webhooks are not shown', async () => {
  renderWithApi(<WebhooksPage />, {
    'GET /v1/sessions': () => ok([one]),
    'GET /v1/subscriptions': () => refused(403, { message: 'not yours' }),
  });
  expect(await screen.findByText(/not yours/)).toBeVisible();
});

it('says where webhooks are added when there is none', async () => {
  renderWithApi(<WebhooksPage />, { 'GET /v1/sessions': () => ok([one]), 'GET /v1/subscriptions': () => ok([]) });
  expect(await screen.findByRole('heading', { name: 'No webhooks yet' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Choose a session' })).toHaveAttribute('href', '/sessions/');
});
