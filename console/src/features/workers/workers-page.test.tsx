import { screen } from '@testing-library/react';
import { ok, renderWithApi } from '@/test/render-with-api';
import { aSession, aWorker } from '@/test/samples';
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

it('drains a worker, and shows what is on its way', async () => {
  const draining = { ...aWorker, draining: true };
  let isDraining = false;
  const { user, sent } = renderWithApi(<WorkersPage />, {
    'GET /v1/workers': () => ok([isDraining ? draining : aWorker]),
    'GET /v1/sessions': () =>
      ok([
        aSession({ id: '1', worker_id: aWorker.id, moving_to: 'host-b' }),
        aSession({ id: '2', worker_id: 'host-b', moving_to: aWorker.id }),
        aSession({ id: '3', worker_id: aWorker.id }),
      ]),
    [`POST /v1/workers/${aWorker.id}/drain`]: () => {
      isDraining = true;
      return ok(draining);
    },
  });
  expect(await screen.findByText('1 leaving, 1 coming')).toBeVisible();
  expect(screen.getByText(/256 MiB, 25 % of a processor/)).toBeVisible();
  await user.click(screen.getByRole('button', { name: `Drain ${aWorker.id}` }));
  expect(await screen.findByRole('button', { name: `Undrain ${aWorker.id}` })).toBeVisible();
  expect(screen.getByText('Draining')).toBeVisible();
  expect(sent.map(({ route }) => route)).toContain(`POST /v1/workers/${aWorker.id}/drain`);
});
