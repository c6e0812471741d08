import { act, screen, within } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { anApp, aSession, aToken } from '@/test/samples';
import { KeySecretDialog } from './key-secret-dialog';
import { showKey } from './shown-key';
import { TokensPage } from './tokens-page';

afterEach(() => act(() => showKey(undefined)));

const KEYS = '/v1/tokens/token-1/s3-keys';
const key = { access_key_id: 'TGAAAAAAAAAAAAAAAAAA', created_at: '2026-11-29T09:00:00.000Z' };

async function open(more: Answers = {}) {
  const view = renderWithApi(
    <>
      <TokensPage />
      <KeySecretDialog />
    </>,
    {
      'GET /v1/tokens': () => ok([{ ...aToken, pool_ids: ['pool-1'] }]),
      'GET /v1/apps': () => ok([anApp]),
      'GET /v1/sessions': () => ok([aSession()]),
      [`GET ${KEYS}`]: () => ok([key]),
      ...more,
    },
    '/tokens/',
  );
  await view.user.click(await screen.findByRole('button', { name: 'Actions for billing service' }));
  await view.user.click(await screen.findByRole('menuitem', { name: 'S3 access keys' }));
  return { ...view, dialog: await screen.findByRole('dialog', { name: 'S3 access keys of billing service' }) };
}

it('lists the keys of a token without their secrets', async () => {
  const { dialog } = await open();
  expect(await within(dialog).findByText(key.access_key_id)).toBeVisible();
  expect(dialog).not.toHaveTextContent('reaches no pool');
});

it('says that a token without pools opens no bucket', async () => {
  const { dialog } = await open({ 'GET /v1/tokens': () => ok([aToken]), [`GET ${KEYS}`]: () => ok([]) });
  expect(dialog).toHaveTextContent('The token reaches no pool yet');
  expect(await within(dialog).findByRole('heading', { name: 'No keys yet' })).toBeVisible();
});

it('shows the secret of a new key once, with lines that run as they are', async () => {
  const made = { access_key_id: 'TGBBBBBBBBBBBBBBBBBB', secret_access_key: 'very-secret', s3_port: 9_000 };
  const { user, dialog } = await open({ [`POST ${KEYS}`]: () => ok(made) });
  await user.click(within(dialog).getByRole('button', { name: 'Make a key' }));
  const shown = await screen.findByRole('dialog', { name: 'Copy the secret now' });
  const lines = within(shown).getByRole('region', { name: 'Lines for aws-cli' });
  expect(lines).toHaveTextContent("export AWS_ACCESS_KEY_ID='TGBBBBBBBBBBBBBBBBBB'");
  expect(lines).toHaveTextContent("export AWS_SECRET_ACCESS_KEY='very-secret'");
  expect(lines).toHaveTextContent("aws --endpoint-url 'http://localhost:9000' s3 ls");
  await user.click(within(shown).getByRole('button', { name: 'Copy the lines' }));
  await user.click(await within(shown).findByRole('button', { name: 'Done' }));
  expect(screen.queryByText('very-secret')).not.toBeInTheDocument();
});

it('says that nothing listens for S3 yet', async () => {
  const made = { access_key_id: 'TGBBBBBBBBBBBBBBBBBB', secret_access_key: 'very-secret' };
  const { user, dialog } = await open({ [`POST ${KEYS}`]: () => ok(made) });
  await user.click(within(dialog).getByRole('button', { name: 'Make a key' }));
  const shown = await screen.findByRole('dialog', { name: 'Copy the secret now' });
  expect(shown).toHaveTextContent('does not listen for S3. Set S3_LISTEN_ADDR');
});

it('says why no key was made', async () => {
  const { user, dialog } = await open({
    [`POST ${KEYS}`]: () => refused(409, { code: 'too_many_s3_keys', message: 'a token has at most 20 S3 keys' }),
  });
  await user.click(within(dialog).getByRole('button', { name: 'Make a key' }));
  expect(await within(dialog).findByRole('alert')).toHaveTextContent('at most 20 S3 keys');
});

it('revokes a key after a question', async () => {
  const { user, dialog, sent } = await open({
    [`DELETE ${KEYS}/${key.access_key_id}`]: () => ok({ status: 'deleted' }),
  });
  await user.click(await within(dialog).findByRole('button', { name: `Delete ${key.access_key_id}` }));
  await user.click(await screen.findByRole('button', { name: 'Delete access key' }));
  expect(await screen.findByText('The access key is deleted.')).toBeVisible();
  expect(sent.some(({ route }) => route === `DELETE ${KEYS}/${key.access_key_id}`)).toBe(true);
});
