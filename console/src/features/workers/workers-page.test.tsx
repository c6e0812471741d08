import { screen } from '@testing-library/react';
import { ok, renderWithApi } from '@/test/render-with-api';
import { aWorker } from '@/test/samples';
import { WorkersPage } from './workers-page';

it('tells alive from dead in words, with the load', async () => {
  renderWithApi(<WorkersPage />, {
    'GET /v1/workers': () => ok([aWorker, { ...aWorker, id: 'host-b', alive: false, sessions: 0 }]),
  });
  expect(await screen.findByText('Alive')).toBeVisible();
  expect(screen.getByText('Dead')).toBeVisible();
  expect(screen.getAllByRole('meter', { name: 'Load' })[0]).toHaveAttribute('aria-valuenow', '3');
});

it('says how to start one when none has reported', async () => {
  renderWithApi(<WorkersPage />, { 'GET /v1/workers': () => ok([]) });
  expect(await screen.findByRole('heading', { name: 'No worker has reported' })).toBeVisible();
});
