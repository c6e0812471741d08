import { act, screen, waitFor } from '@testing-library/react';
import { ok, refused, renderWithApi } from '@/test/render-with-api';
import { aLogin } from '@/test/samples';
import { LoginDialog } from './login-dialog';

const login = aLogin();
const path = `/v1/user/${login.id}`;
const address = `/sessions/?login=${login.id}`;
const codeInfo = (resendAt: number) => ({
  '@type': 'authenticationCodeInfo',
  phone_number: '15550142',
  type: { '@type': 'authenticationCodeTypeTelegramMessage', length: 5 },
  next_type: { '@type': 'authenticationCodeTypeSms', length: 5 },
  timeout: 60,
  resend_at: new Date(resendAt).toISOString(),
});
/** On a whole second, as the page's clock is. */
const soon = () => Math.ceil(Date.now() / 1_000) * 1_000 + 42_000;

it('goes from the code over the password with its hint to ready', async () => {
  let state: Record<string, unknown> = { ...login, code_info: codeInfo(soon()) };
  const { user, sent } = renderWithApi(
    <LoginDialog />,
    {
      [`GET ${path}`]: () => ok(state),
      [`POST ${path}/login/code`]: () => {
        state = { ...login, status: 'awaiting_password', password_hint: 'the dog' };
        return ok(state);
      },
      [`POST ${path}/login/password`]: () => {
        state = { ...login, status: 'authorized' };
        return ok(state);
      },
    },
    address,
  );
  expect(await screen.findByText(/sent the code in the Telegram app, to \+15550142 \(5 digits\)/)).toBeVisible();
  await user.type(screen.getByLabelText('Login code'), '12 3-45{Enter}');
  const password = await screen.findByLabelText('Two-step verification password');
  expect(password).toHaveAttribute('type', 'password');
  expect(password).toHaveAccessibleDescription(/the dog/);
  await user.type(password, 'rex{Enter}');
  expect(await screen.findByText('The account is signed in')).toBeVisible();
  expect(sent.filter(({ route }) => route.startsWith('POST')).map(({ text }) => text)).toEqual([
    '{"code":"12345"}',
    '{"password":"rex"}',
  ]);
});

it('takes the answer to the next question while its state is still being asked for', async () => {
  let isAnswering = true;
  const { user, sent } = renderWithApi(
    <LoginDialog />,
    {
      [`GET ${path}`]: () =>
        isAnswering ? ok({ ...login, code_info: codeInfo(soon()) }) : new Promise<Response>(() => undefined),
      [`POST ${path}/login/code`]: () => {
        isAnswering = false;
        return ok({ ...login, status: 'awaiting_password' });
      },
      [`POST ${path}/login/password`]: () => ok({ ...login, status: 'authorized' }),
    },
    address,
  );
  await user.type(await screen.findByLabelText('Login code'), '12345{Enter}');
  await user.type(await screen.findByLabelText('Two-step verification password'), 'rex{Enter}');
  expect(await screen.findByText('The account is signed in')).toBeVisible();
  expect(sent.some(({ route }) => route.endsWith('/login/password'))).toBe(true);
});

it("shows Telegram's words for a wrong code and stays in the same attempt", async () => {
  const { user, sent } = renderWithApi(
    <LoginDialog />,
    {
      [`GET ${path}`]: () => ok({ ...login, code_info: codeInfo(soon()) }),
      [`POST ${path}/login/code`]: () => refused(400, { source: 'tdlib', code: 400, message: 'PHONE_CODE_INVALID' }),
    },
    address,
  );
  const input = await screen.findByLabelText('Login code');
  await user.type(input, '11111{Enter}');
  const alert = await screen.findByRole('alert');
  expect(alert).toHaveTextContent('PHONE_CODE_INVALID');
  expect(alert).toHaveTextContent('The login goes on');
  expect(alert).toHaveTextContent('request-2');
  expect(input).toHaveValue('');
  expect(input).toHaveFocus();
  expect(sent.some(({ route }) => route === 'POST /v1/user')).toBe(false);
});

it('counts down to the next code from the absolute time, also when opened anew', async () => {
  const resendAt = soon();
  const answers = { [`GET ${path}`]: () => ok({ ...login, code_info: codeInfo(resendAt) }) };
  const first = renderWithApi(<LoginDialog />, answers, address);
  expect(await screen.findByText(/A new one can be sent by SMS in/)).toHaveTextContent(/0:4[0-4]/);
  first.unmount();
  jest.spyOn(Date, 'now').mockReturnValue(resendAt - 10_000);
  renderWithApi(<LoginDialog />, answers, address);
  expect(await screen.findByText(/A new one can be sent by SMS in/)).toHaveTextContent('0:10');
  jest.restoreAllMocks();
});

it('sends a new code once Telegram allows it', async () => {
  const { user, sent } = renderWithApi(
    <LoginDialog />,
    {
      [`GET ${path}`]: () => ok({ ...login, code_info: codeInfo(Date.now() - 1_000) }),
      [`POST ${path}/login/resend`]: () => ok({ ...login, code_info: codeInfo(soon()) }),
    },
    address,
  );
  await user.click(await screen.findByRole('button', { name: 'Send a new code by SMS' }));
  await waitFor(() => expect(sent.some(({ route }) => route.endsWith('/login/resend'))).toBe(true));
});

it('says how long to wait when Telegram makes the account wait', async () => {
  const { user } = renderWithApi(
    <LoginDialog />,
    {
      [`GET ${path}`]: () => ok({ ...login, code_info: codeInfo(soon()) }),
      [`POST ${path}/login/code`]: () =>
        refused(429, { source: 'tdlib', code: 429, message: 'Too Many Requests: retry after 125', retry_after: 125 }),
    },
    address,
  );
  await user.type(await screen.findByLabelText('Login code'), '12345{Enter}');
  expect(await screen.findByRole('alert')).toHaveTextContent(/Wait 2:0[345] before the next try/);
});

it('tells a connecting login that there is nothing to type yet', async () => {
  renderWithApi(<LoginDialog />, { [`GET ${path}`]: () => ok({ ...login, status: 'connecting' }) }, address);
  expect(await screen.findByText(/nothing to type yet/)).toBeVisible();
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
});

it('hides without ending the login', async () => {
  const { user, sent } = renderWithApi(
    <LoginDialog />,
    { [`GET ${path}`]: () => ok({ ...login, code_info: codeInfo(soon()) }) },
    address,
  );
  await screen.findByLabelText('Login code');
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(window.location.search).toBe('');
  expect(sent.every(({ route }) => route.startsWith('GET'))).toBe(true);
});

it('asks twice before it throws a login away, and typing takes the first answer back', async () => {
  const { user, sent } = renderWithApi(
    <LoginDialog />,
    {
      [`GET ${path}`]: () => ok({ ...login, code_info: codeInfo(soon()) }),
      [`DELETE ${path}/login`]: () => ok({ status: 'cancelled' }),
    },
    address,
  );
  const deletions = () => sent.filter(({ route }) => route.startsWith('DELETE'));
  await user.click(await screen.findByRole('button', { name: 'Cancel login' }));
  expect(deletions()).toHaveLength(0);
  await user.type(screen.getByLabelText('Login code'), '1');
  expect(screen.queryByRole('button', { name: 'Throw the login away' })).not.toBeInTheDocument();
  await user.clear(screen.getByLabelText('Login code'));
  await user.click(screen.getByRole('button', { name: /Throw the login away|Cancel login/ }));
  const confirm = screen.queryByRole('button', { name: 'Throw the login away' });
  if (confirm) await user.click(confirm);
  // Of the login, not of the session: that one may have been signed in before.
  await waitFor(() => expect(deletions().map(({ route }) => route)).toEqual([`DELETE ${path}/login`]));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
});

it('says that a login is gone instead of showing its last state for ever', async () => {
  renderWithApi(
    <LoginDialog />,
    { [`GET ${path}`]: () => refused(404, { code: 'session_not_found', message: 'session not found' }) },
    address,
  );
  expect(await screen.findByText('This login is gone')).toBeVisible();
});

it('never lets an older answer of the poll overwrite the step that was just made', async () => {
  let release: (() => void) | undefined;
  let polls = 0;
  const { user } = renderWithApi(
    <LoginDialog />,
    {
      [`GET ${path}`]: async () => {
        polls += 1;
        // The second poll is on its way, with the old state, while the code is submitted.
        if (polls === 2) await new Promise<void>((resolve) => (release = resolve));
        return polls > 2
          ? ok({ ...login, status: 'awaiting_password', password_hint: '' })
          : ok({ ...login, code_info: codeInfo(soon()) });
      },
      [`POST ${path}/login/code`]: () => ok({ ...login, status: 'awaiting_password', password_hint: '' }),
    },
    address,
  );
  await screen.findByLabelText('Login code');
  await waitFor(() => expect(polls).toBe(2), { timeout: 4_000 });
  await user.type(screen.getByLabelText('Login code'), '12345{Enter}');
  expect(await screen.findByLabelText('Two-step verification password')).toBeVisible();
  await act(async () => {
    release?.();
    await Promise.resolve();
  });
  expect(screen.getByLabelText('Two-step verification password')).toBeVisible();
}, 10_000);

describe('a login by QR code', () => {
  const bare = { ...login, phone: undefined };

  it('shows the link as a code and as text, and follows the scan to the password', async () => {
    let state: Record<string, unknown> = { ...bare, status: 'awaiting_qr', qr: { link: 'tg://login?token=one' } };
    renderWithApi(<LoginDialog />, { [`GET ${path}`]: () => ok(state) }, address);
    expect(await screen.findByRole('img', { name: /QR code/ })).toBeVisible();
    expect(screen.getByRole('link', { name: 'Open the link in Telegram' })).toHaveAttribute(
      'href',
      'tg://login?token=one',
    );
    state = { ...bare, status: 'awaiting_qr', qr: { link: 'tg://login?token=two' } };
    await waitFor(() =>
      expect(screen.getByRole('link', { name: /Open the link/ })).toHaveAttribute('href', 'tg://login?token=two'),
    );
    state = { ...bare, status: 'awaiting_password', password_hint: 'the dog' };
    expect(await screen.findByLabelText('Two-step verification password')).toHaveAccessibleDescription(/the dog/);
  }, 15_000);
});

it.each([
  ['awaiting_email', 'Email address', 'ada@example.org', 'email', '{"email":"ada@example.org"}'],
  ['awaiting_email_code', 'Code from the mail', '123 456', 'email-code', '{"code":"123456"}'],
  ['awaiting_registration', 'First name', 'Ada', 'register', '{"first_name":"Ada","last_name":""}'],
])('answers %s', async (status, label, typed, route, body) => {
  const { user, sent } = renderWithApi(
    <LoginDialog />,
    {
      [`GET ${path}`]: () => ok({ ...login, status }),
      [`POST ${path}/login/${route}`]: () => ok({ ...login, status: 'authorized' }),
    },
    address,
  );
  await user.type(await screen.findByLabelText(label), `${typed}{Enter}`);
  await waitFor(() => expect(sent.find((request) => request.route === `POST ${path}/login/${route}`)?.text).toBe(body));
});

describe('a forgotten password', () => {
  const waiting = { ...login, status: 'awaiting_password', password_hint: '', has_recovery_email: true };

  it('is replaced by way of the recovery mail', async () => {
    let state: Record<string, unknown> = waiting;
    const { user, sent } = renderWithApi(
      <LoginDialog />,
      {
        [`GET ${path}`]: () => ok(state),
        [`POST ${path}/login/recover`]: ({ text }) => {
          state =
            text === '{}' ? { ...waiting, email_pattern: 'a***a@example.org' } : { ...login, status: 'authorized' };
          return ok(state);
        },
      },
      address,
    );
    await user.click(await screen.findByRole('button', { name: 'I forgot the password' }));
    expect(await screen.findByText('a***a@example.org')).toBeVisible();
    await user.type(screen.getByLabelText('Code from the mail'), '12 34-56');
    const password = screen.getByLabelText(/^New password/);
    expect(password).toHaveAttribute('type', 'password');
    await user.type(password, 'battery');
    await user.type(screen.getByLabelText(/^Hint for it/), 'staple{Enter}');
    expect(await screen.findByText('The account is signed in')).toBeVisible();
    expect(sent.filter(({ route }) => route.endsWith('/recover')).map(({ text }) => text)).toEqual([
      '{}',
      '{"code":"123456","new_password":"battery","new_hint":"staple"}',
    ]);
  });

  it('goes on after a wrong code, and after a reload', async () => {
    const { user } = renderWithApi(
      <LoginDialog />,
      {
        [`GET ${path}`]: () => ok({ ...waiting, email_pattern: 'a***a@example.org' }),
        [`POST ${path}/login/recover`]: () => refused(400, { source: 'tdlib', code: 400, message: 'CODE_INVALID' }),
      },
      address,
    );
    const code = await screen.findByLabelText('Code from the mail');
    await user.type(code, '111111{Enter}');
    expect(await screen.findByRole('alert')).toHaveTextContent('CODE_INVALID');
    expect(code).toHaveValue('');
    await user.click(screen.getByRole('button', { name: 'I know the password after all' }));
    expect(screen.getByLabelText('Two-step verification password')).toBeVisible();
    await user.click(screen.getByRole('button', { name: 'Enter the code from the mail' }));
    expect(screen.getByLabelText('Code from the mail')).toBeVisible();
  });

  it("says Telegram's refusal in words when there is no recovery mail", async () => {
    const { user } = renderWithApi(
      <LoginDialog />,
      {
        [`GET ${path}`]: () => ok({ ...waiting, has_recovery_email: undefined }),
        [`POST ${path}/login/recover`]: () =>
          refused(400, { source: 'tdlib', code: 400, message: 'PASSWORD_RECOVERY_NA' }),
      },
      address,
    );
    await user.click(await screen.findByRole('button', { name: 'I forgot the password' }));
    expect(await screen.findByRole('alert')).toHaveTextContent('has no recovery email address');
  });

  it('is not offered where the account is known to have no recovery mail', async () => {
    renderWithApi(<LoginDialog />, { [`GET ${path}`]: () => ok({ ...waiting, has_recovery_email: false }) }, address);
    expect(await screen.findByText(/has no recovery email address/)).toBeVisible();
    expect(screen.queryByRole('button', { name: 'I forgot the password' })).not.toBeInTheDocument();
  });
});

it('begins an ended login anew in the same dialog, under the same id', async () => {
  let state: Record<string, unknown> = { ...login, status: 'expired', last_error: 'the login attempt expired' };
  const { user, sent } = renderWithApi(
    <LoginDialog />,
    {
      [`GET ${path}`]: () => ok(state),
      [`POST ${path}/login`]: () => {
        state = { ...login, code_info: codeInfo(soon()) };
        return ok(state);
      },
    },
    address,
  );
  await user.click(await screen.findByRole('button', { name: 'Send a code to +15550142' }));
  expect(await screen.findByLabelText('Login code')).toBeVisible();
  expect(sent.find(({ route }) => route === `POST ${path}/login`)?.text).toBe('{"method":"phone"}');
  expect(sent.some(({ route }) => route.startsWith('DELETE'))).toBe(false);
});
