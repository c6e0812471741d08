import { screen, waitFor } from '@testing-library/react';
import { ok, refused, renderWithApi, type Answers } from '@/test/render-with-api';
import { anApp, aProxy } from '@/test/samples';
import { CreateSessionDialogs } from './create-session-dialogs';

const parts: Answers = { 'GET /v1/apps': () => ok([anApp]), 'GET /v1/proxies': () => ok([aProxy]) };
const open = (what: 'bot' | 'user', more: Answers = {}) =>
  renderWithApi(<CreateSessionDialogs />, { ...parts, ...more }, `/?new=${what}`);

describe('a bot', () => {
  it('is added from a masked token with the only app chosen already', async () => {
    const { user, sent } = open('bot', { 'POST /v1/bot': () => ok({ id: 'bot-1', status: 'authorized', me: {} }) });
    const token = await screen.findByLabelText('Bot token');
    expect(token).toHaveAttribute('type', 'password');
    await user.type(token, ' 123:abc ');
    await user.click(screen.getByRole('button', { name: 'Add bot' }));
    await waitFor(() => expect(window.location.search).toBe('?id=bot-1'));
    expect(sent.find(({ route }) => route === 'POST /v1/bot')?.text).toBe('{"token":"123:abc","app_id":"app-1"}');
  });

  it('asks for a token that looks like one before Telegram is asked', async () => {
    const { user, sent } = open('bot');
    await user.type(await screen.findByLabelText('Bot token'), 'nonsense{Enter}');
    expect(await screen.findByText(/A bot token looks like/)).toBeVisible();
    expect(sent.some(({ route }) => route === 'POST /v1/bot')).toBe(false);
  });

  it("shows Telegram's refusal with the request id and keeps what was typed", async () => {
    const { user } = open('bot', {
      'POST /v1/bot': () => refused(400, { source: 'tdlib', code: 400, message: 'ACCESS_TOKEN_INVALID' }),
    });
    await user.type(await screen.findByLabelText('Bot token'), '123:abc{Enter}');
    const alert = await screen.findByRole('alert');
    expect(alert).toHaveTextContent('Telegram does not know this bot token. Copy it again from @BotFather');
    expect(alert).toHaveTextContent('ACCESS_TOKEN_INVALID');
    expect(alert).toHaveTextContent('request-2');
    expect(screen.getByLabelText('Bot token')).toHaveValue('123:abc');
  });

  it('leads to the first session when the bot is there already, or adds it knowingly', async () => {
    const { user, sent } = open('bot', {
      'POST /v1/bot': () =>
        refused(409, { code: 'bot_exists', message: 'this bot has a session', session_id: 'first' }),
    });
    await user.type(await screen.findByLabelText('Bot token'), '123:abc{Enter}');
    await user.click(await screen.findByRole('button', { name: 'Add it a second time' }));
    await waitFor(() =>
      expect(sent.filter(({ route }) => route === 'POST /v1/bot').at(-1)?.text).toContain('"allow_duplicate":true'),
    );
    await user.click(await screen.findByRole('button', { name: 'Open that session' }));
    expect(window.location.search).toBe('?id=first');
  });

  it('puts a refused field beside its input', async () => {
    const { user } = open('bot', {
      'POST /v1/bot': () =>
        refused(400, {
          code: 'validation_failed',
          message: 'invalid request',
          details: { issues: [{ path: 'label', message: 'label is too long' }] },
        }),
    });
    await user.type(await screen.findByLabelText('Bot token'), '123:abc{Enter}');
    expect(await screen.findByText('label is too long')).toBeVisible();
    expect(screen.getByLabelText(/^Label/)).toBeInvalid();
    expect(screen.queryByRole('alert')).not.toBeInTheDocument();
  });

  it('sends people to the app first when there is none', async () => {
    const { user } = open('bot', { 'GET /v1/apps': () => ok([]) });
    await user.click(await screen.findByRole('button', { name: 'Add a Telegram app' }));
    expect(window.location.search).toBe('?new=app');
  });
});

describe('a user account', () => {
  it('goes on to its login', async () => {
    const { user, sent } = open('user', { 'POST /v1/user': () => ok({ id: 'user-1', status: 'awaiting_code' }) });
    await user.type(await screen.findByLabelText('Phone number'), '+1 (555) 0142');
    await user.selectOptions(screen.getByLabelText(/^Proxy/), aProxy.id);
    await user.click(screen.getByRole('button', { name: 'Send login code' }));
    await waitFor(() => expect(window.location.search).toBe('?login=user-1'));
    expect(JSON.parse(sent.find(({ route }) => route === 'POST /v1/user')?.text ?? '')).toEqual({
      phone: '+1 (555) 0142',
      app_id: 'app-1',
      proxy_id: 'proxy-1',
    });
  });

  it('offers to resume a login of the same number that waits already', async () => {
    const { user } = open('user', {
      'POST /v1/user': () => refused(409, { code: 'login_in_progress', message: 'a login waits', session_id: 'other' }),
    });
    await user.type(await screen.findByLabelText('Phone number'), '+15550142{Enter}');
    await user.click(await screen.findByRole('button', { name: 'Resume that login' }));
    expect(window.location.search).toBe('?login=other');
  });

  it('shows what the server warns of', async () => {
    const { user } = open('user', {
      'POST /v1/user': () => ok({ id: 'user-1', status: 'awaiting_code', warnings: ['this number has a session'] }),
    });
    await user.type(await screen.findByLabelText('Phone number'), '+15550142{Enter}');
    expect(await screen.findByText('this number has a session')).toBeVisible();
  });

  it('can be logged in by a QR code, without a number', async () => {
    const { user, sent } = open('user', { 'POST /v1/user': () => ok({ id: 'user-1', status: 'awaiting_qr' }) });
    await user.click(await screen.findByRole('radio', { name: 'QR code' }));
    expect(screen.queryByLabelText('Phone number')).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Show QR code' }));
    await waitFor(() => expect(window.location.search).toBe('?login=user-1'));
    expect(sent.find(({ route }) => route === 'POST /v1/user')?.text).toBe('{"method":"qr","app_id":"app-1"}');
  });
});
