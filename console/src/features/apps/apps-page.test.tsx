import { screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { anApp, aSession } from '@/test/samples';
import { AppsPage } from './apps-page';
import { NewAppDialog } from './app-dialogs';

const page = (
  <>
    <AppsPage />
    <NewAppDialog />
  </>
);
const open = (more: Answers = {}, address = '/apps/') =>
  renderWithApi(
    page,
    { 'GET /v1/apps': () => ok([anApp]), 'GET /v1/sessions': () => ok([aSession()]), ...more },
    address,
  );

async function choose(user: Awaited<ReturnType<typeof open>>['user'], act: string): Promise<void> {
  await user.click(await screen.findByRole('button', { name: /^Actions for acme/ }));
  await user.click(await screen.findByRole('menuitem', { name: act }));
}

it('explains an empty list and opens the form', async () => {
  const { user } = open({ 'GET /v1/apps': () => ok([]) });
  expect(await screen.findByRole('heading', { name: 'No apps yet' })).toBeVisible();
  await user.click(screen.getAllByRole('button', { name: 'Add an app' })[0] ?? document.body);
  expect(await screen.findByRole('dialog', { name: 'Add a Telegram app' })).toBeVisible();
});

it('registers an app with its hash masked', async () => {
  const { user, sent } = open({ 'POST /v1/apps': () => ok({ app_id: 'app-2' }) }, '/apps/?new=app');
  await user.type(await screen.findByLabelText('api_id'), '4242');
  const hash = screen.getByLabelText('api_hash');
  expect(hash).toHaveAttribute('type', 'password');
  await user.type(hash, 'abcdef');
  await user.click(screen.getByRole('button', { name: 'Add app' }));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(sent.find(({ route }) => route === 'POST /v1/apps')?.text).toBe('{"api_id":4242,"api_hash":"abcdef"}');
});

it('shows what is wrong beside its input, from the form and from the server', async () => {
  const { user } = open(
    {
      'POST /v1/apps': () =>
        refused(400, {
          code: 'validation_failed',
          message: 'invalid request',
          details: { issues: [{ path: 'api_hash', message: 'api_hash must not contain spaces' }] },
        }),
    },
    '/apps/?new=app',
  );
  await user.click(await screen.findByRole('button', { name: 'Add app' }));
  expect(screen.getByLabelText('api_id')).toHaveAccessibleDescription(/whole number/);
  await user.type(screen.getByLabelText('api_id'), '1');
  await user.type(screen.getByLabelText('api_hash'), 'a b{Enter}');
  await waitFor(() => expect(screen.getByLabelText('api_hash')).toHaveAccessibleDescription(/must not contain spaces/));
});

it('renames without touching the credentials', async () => {
  const { user, sent } = open({ 'PATCH /v1/apps/app-1': () => ok({ status: 'updated' }) });
  await choose(user, 'Edit');
  const label = await screen.findByLabelText(/^Label/);
  await user.clear(label);
  await user.type(label, 'acme two{Enter}');
  await waitFor(() => expect(sent.find(({ route }) => route.startsWith('PATCH'))?.text).toBe('{"label":"acme two"}'));
});

it('names the sessions that keep an app from being deleted', async () => {
  const { user } = open({
    'DELETE /v1/apps/app-1': () =>
      refused(409, {
        code: 'in_use',
        message: 'the app is used by 1 session',
        details: { session_ids: [aSession().id] },
      }),
  });
  await choose(user, 'Delete');
  const question = await screen.findByRole('alertdialog');
  await user.click(within(question).getByRole('button', { name: 'Delete app' }));
  expect(await within(question).findByText(/used by 1 session/)).toBeVisible();
  expect(within(question).getByRole('link', { name: 'support-bot' })).toHaveAttribute(
    'href',
    `/sessions/view/?id=${aSession().id}`,
  );
});

it('gives the focus back to the menu that a dialog was opened from', async () => {
  const { user } = open();
  await choose(user, 'Edit');
  expect(await screen.findByLabelText(/^Label/)).toHaveFocus();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.getByRole('button', { name: /^Actions for acme/ })).toHaveFocus());
});
