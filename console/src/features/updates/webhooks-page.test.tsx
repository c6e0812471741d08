import { screen, within } from '@testing-library/react';
import { ok, refused, renderWithApi } from '@/test/render-with-api';
import { aSession, aSubscription } from '@/test/samples';
import { WebhooksPage } from './webhooks-page';

const one = aSession();
const other = aSession({ id: '6f1c2f8e-0000-4000-8000-000000000009', label: 'sales-bot' });
const at = (session: typeof one): string => `GET /v1/bot/${session.id}/updates/subscriptions`;

it('lists the webhooks of all sessions, what is wrong first, each with its session', async () => {
  renderWithApi(<WebhooksPage />, {
    'GET /v1/sessions': () => ok([one, other]),
    [at(one)]: () => ok([aSubscription({ id: 'well', url: 'https://example.com/well' })]),
    [at(other)]: () => ok([aSubscription({ id: 'ill', url: 'https://example.com/ill', state: 'failing' })]),
  });
  const list = await screen.findByRole('list', { name: 'Webhooks and streams' });
  await within(list).findByRole('link', { name: 'https://example.com/ill' });
  await within(list).findByRole('link', { name: 'https://example.com/well' });
  const [first, second] = within(list).getAllByRole('listitem');
  expect(first).toHaveTextContent(/ill.*sales-bot/);
  expect(second).toHaveTextContent(/well.*support-bot/);
});

it('shows what it can where a session does not tell its webhooks', async () => {
  renderWithApi(<WebhooksPage />, {
    'GET /v1/sessions': () => ok([one, other]),
    [at(one)]: () => ok([aSubscription()]),
    [at(other)]: () => refused(403, { message: 'not yours' }),
  });
  expect(await screen.findByText(/Some sessions did not tell their webhooks/)).toBeVisible();
  expect(await screen.findByRole('link', { name: 'https://example.com/hook' })).toBeVisible();
});

it('says where webhooks are added when there is none', async () => {
  renderWithApi(<WebhooksPage />, { 'GET /v1/sessions': () => ok([one]), [at(one)]: () => ok([]) });
  expect(await screen.findByRole('heading', { name: 'No webhooks yet' })).toBeVisible();
  expect(screen.getByRole('link', { name: 'Choose a session' })).toHaveAttribute('href', '/sessions/');
});
