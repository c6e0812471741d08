import { screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aPool, aPoolJob } from '@/test/samples';
import type { PoolJob } from '@/lib/types';
import { JobsTab } from './jobs-tab';

const { id } = aPool();
const path = `/v1/pools/${id}/jobs`;
const open = (more: Answers = {}) =>
  renderWithApi(<JobsTab pool={aPool()} />, { [`GET ${path}`]: () => ok([]), ...more });

it('shows how far a job is, begins no other meanwhile, and stops it', async () => {
  const view = open({
    [`GET ${path}`]: () => ok([aPoolJob()]),
    [`DELETE ${path}/${aPoolJob().id}`]: () => ok(aPoolJob({ state: 'cancelled' })),
  });
  const row = await screen.findByRole('listitem', { name: 'Check' });
  expect(row).toHaveTextContent('25 of 100 done');
  expect(row).toHaveTextContent('2 KiB read');
  expect(within(row).getByRole('progressbar')).toHaveAttribute('aria-valuenow', '25');
  for (const name of ['Check', 'Collect', 'Remove objects'])
    expect(screen.getByRole('button', { name })).toBeDisabled();
  await view.user.click(within(row).getByRole('button', { name: 'Actions for Check' }));
  await view.user.click(await screen.findByRole('menuitem', { name: 'Stop it' }));
  await waitFor(() => expect(view.sent.some(({ route }) => route.startsWith('DELETE'))).toBe(true));
});

it('tells what a check has found, and why a job has failed', async () => {
  const finding: PoolJob['findings'][number] = {
    chat_id: -1001,
    message_id: 7,
    problem: 'gone',
    reason: 'it is not there',
    keys: ['a', 'b'],
  };
  open({
    [`GET ${path}`]: () =>
      ok([
        aPoolJob({ state: 'done', findings: [finding] }),
        aPoolJob({ id: '6f1c2f8e-0000-4000-8000-00000000000f', kind: 'gc', state: 'failed', error: 'no bot is there' }),
      ]),
  });
  expect(await screen.findByText('One message is not what was stored')).toBeVisible();
  expect(within(screen.getByRole('list', { name: 'Findings' })).getByRole('listitem')).toHaveTextContent(
    'Gone: message 7 in -1001, it is not there (a, b)',
  );
  expect(screen.getByRole('listitem', { name: 'Collection' })).toHaveTextContent('no bot is there');
});

it('begins a check of as much as is asked for', async () => {
  const view = open({ [`POST ${path}`]: () => ok(aPoolJob()) });
  await view.user.click(await screen.findByRole('button', { name: 'Check' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Check store' }));
  const percent = dialog.getByLabelText('Percent of the messages that are read');
  await view.user.clear(percent);
  await view.user.type(percent, '101');
  expect(dialog.getByRole('button', { name: 'Check' })).toBeDisabled();
  await view.user.clear(percent);
  await view.user.type(percent, '20');
  await view.user.click(dialog.getByRole('button', { name: 'Check' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(
    view.sent.filter(({ route }) => route.startsWith('POST')).map(({ text }) => JSON.parse(text) as unknown),
  ).toEqual([{ kind: 'scrub', sample: 20 }]);
});

it('removes objects only when the name of the pool was typed', async () => {
  const view = open({ [`POST ${path}`]: () => ok(aPoolJob({ kind: 'purge' })) });
  await view.user.click(await screen.findByRole('button', { name: 'Remove objects' }));
  const dialog = within(await screen.findByRole('alertdialog', { name: 'Remove objects of store?' }));
  await view.user.type(dialog.getByLabelText('Only of this folder'), 'images/');
  expect(dialog.getByRole('button', { name: 'Remove them' })).toBeDisabled();
  await view.user.type(dialog.getByLabelText(/^The pool's name/), 'store');
  await view.user.click(dialog.getByRole('button', { name: 'Remove them' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
  expect(
    view.sent.filter(({ route }) => route.startsWith('POST')).map(({ text }) => JSON.parse(text) as unknown),
  ).toEqual([{ kind: 'purge', prefix: 'images/' }]);
});

it('says why a collection was not begun', async () => {
  const view = open({ [`POST ${path}`]: () => refused(409, { code: 'job_running', message: 'another job runs' }) });
  await view.user.click(await screen.findByRole('button', { name: 'Collect' }));
  expect(await screen.findByRole('alert')).toHaveTextContent('another job runs');
});
