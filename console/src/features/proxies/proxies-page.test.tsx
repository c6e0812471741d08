import { screen, waitFor, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { aProxy, aSession } from '@/test/samples';
import { ProxiesPage } from './proxies-page';
import { NewProxyDialog } from './proxy-dialogs';

const page = (
  <>
    <ProxiesPage />
    <NewProxyDialog />
  </>
);
const open = (more: Answers = {}, address = '/proxies/') =>
  renderWithApi(page, { 'GET /v1/proxies': () => ok([aProxy]), 'GET /v1/sessions': () => ok([]), ...more }, address);

it('fills the fields from a pasted link and sends only what the type has', async () => {
  const { user, sent } = open({ 'POST /v1/proxies': () => ok({ proxy_id: 'p' }) }, '/proxies/?new=proxy');
  await user.click(await screen.findByLabelText(/^Proxy link/));
  await user.paste('tg://proxy?server=proxy.example.org&port=443&secret=dd00');
  expect(screen.getByLabelText('Type')).toHaveDisplayValue('MTProto');
  expect(screen.getByLabelText('Secret')).toHaveAttribute('type', 'password');
  await user.click(screen.getByRole('button', { name: 'Add proxy' }));
  await waitFor(() =>
    expect(JSON.parse(sent.find(({ route }) => route === 'POST /v1/proxies')?.text ?? '{}')).toEqual({
      type: 'mtproto',
      host: 'proxy.example.org',
      port: 443,
      secret: 'dd00',
    }),
  );
});

it('keeps the stored password when its input is left empty, and clears the user when that is emptied', async () => {
  const { user, sent } = open({ 'PATCH /v1/proxies/proxy-1': () => ok({ status: 'updated' }) });
  await user.click(await screen.findByRole('button', { name: /^Actions for Frankfurt/ }));
  await user.click(await screen.findByRole('menuitem', { name: 'Edit' }));
  await user.clear(await screen.findByLabelText(/^User/));
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent.some(({ route }) => route.startsWith('PATCH'))).toBe(true));
  const body: unknown = JSON.parse(sent.find(({ route }) => route.startsWith('PATCH'))?.text ?? '{}');
  expect(body).toMatchObject({ username: '' });
  expect(body).not.toHaveProperty('password');
});

it('refuses a port that is none', async () => {
  const { user, sent } = open({}, '/proxies/?new=proxy');
  await user.type(await screen.findByLabelText('Host'), 'h');
  await user.type(screen.getByLabelText('Port'), '70000{Enter}');
  expect(await screen.findByText('A port is a number from 1 to 65535.')).toBeVisible();
  expect(sent.some(({ route }) => route.startsWith('POST'))).toBe(false);
});

it.each([
  ['how fast Telegram answers', { reachable: true, latency_ms: 84 }, /answers in 84 ms/],
  ['why it does not', { reachable: false, reason: 'connection refused' }, /connection refused/],
])('tests a proxy and says %s', async (_, result, words) => {
  const { user } = open({ 'POST /v1/proxies/proxy-1/test': () => ok(result) });
  await user.click(await screen.findByRole('button', { name: /^Actions for Frankfurt/ }));
  await user.click(await screen.findByRole('menuitem', { name: 'Test' }));
  expect(await screen.findByText(words)).toBeVisible();
});

it('names the sessions that keep a proxy from being deleted', async () => {
  const { user } = open({
    'GET /v1/sessions': () => ok([aSession({ proxy_id: aProxy.id })]),
    'DELETE /v1/proxies/proxy-1': () =>
      refused(409, {
        code: 'in_use',
        message: 'the proxy is used by 1 session',
        details: { session_ids: [aSession().id] },
      }),
  });
  await user.click(await screen.findByRole('button', { name: /^Actions for Frankfurt/ }));
  await user.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const question = await screen.findByRole('alertdialog', { name: /^Delete Frankfurt/ });
  await user.click(within(question).getByRole('button', { name: 'Delete proxy' }));
  expect(await within(question).findByRole('link', { name: 'support-bot' })).toBeVisible();
  expect(question).toHaveTextContent('used by 1 session');
});
