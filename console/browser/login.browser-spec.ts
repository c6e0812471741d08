import type { Browser } from 'playwright-core';
import { launch, visitSignedIn } from './support/browser.js';
import { startProduct, type Product } from './support/product.js';

let product: Product;
let browser: Browser;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), launch()]);
  await product.api('POST', '/v1/apps', { api_id: 12345, api_hash: '0123456789abcdef0123456789abcdef', label: 'acme' });
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

const other = (code: string): string => code.replace(/\d/g, (digit) => String((Number(digit) + 1) % 10));

describe.each([
  ['a laptop', 1280],
  ['a phone', 390],
])('on %s', (_, width) => {
  const phone = width === 390 ? '15550143' : '15550142';

  it('logs a user account in with code and password, through a wrong one of each, a reload and a hidden window', async () => {
    await product.telegram.createAccount({
      phone,
      first_name: 'Ada',
      password: 'correct horse',
      password_hint: 'a horse',
    });
    const { page, complaints } = await visitSignedIn(browser, product, { width });

    await page.getByRole('button', { name: 'Log in a user' }).first().click();
    await page.getByLabel('Phone number').fill(`+${phone.slice(0, 1)} (${phone.slice(1, 4)}) ${phone.slice(4)}`);
    await page.getByRole('button', { name: 'Send login code' }).click();
    const code = page.getByLabel('Login code');
    await code.waitFor();
    const right = await product.telegram.code(phone);

    await code.fill(other(right));
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('PHONE_CODE_INVALID').waitFor();

    await page.reload();
    await code.waitFor();

    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goto('/sessions/');
    await page.getByText('Code needed').first().waitFor();
    await page.getByRole('button', { name: 'Resume login' }).click();

    // The same attempt, so the code of the first message is still the right one.
    await code.fill(right);
    await page.getByRole('button', { name: 'Continue' }).click();
    const password = page.getByLabel('Two-step verification password');
    await password.waitFor();
    await page.getByText('“a horse”').waitFor();

    await password.fill('wrong');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('PASSWORD_HASH_INVALID').waitFor();
    await password.fill('correct horse');
    await page.keyboard.press('Enter');
    await page.getByText('The account is signed in').waitFor();
    await page.getByRole('button', { name: 'Open the session' }).click();
    await page.getByText('Ada').first().waitFor();
    await page.getByText('Ready').first().waitFor();
    expect(complaints).toEqual([]);
  });
});

it('logs a user account in by a scan and its password, through a reload in the middle', async () => {
  const id = await product.telegram.createAccount({ phone: '15550146', first_name: 'Grace', password: 'battery' });
  const { page } = await visitSignedIn(browser, product);
  await page.goto('/?new=user');
  await page.getByRole('radio', { name: 'QR code' }).click();
  await page.getByRole('button', { name: 'Show QR code' }).click();
  await page.getByRole('img', { name: /QR code/ }).waitFor();
  await page.reload();
  const link = await page.getByRole('link', { name: 'Open the link in Telegram' }).getAttribute('href');
  await product.telegram.scan(id, link ?? '');
  await page.getByLabel('Two-step verification password').fill('battery');
  await page.keyboard.press('Enter');
  await page.getByText('The account is signed in').waitFor();
});

it('logs in by the recovery mail when the password is forgotten, and again under the same id after Telegram ended it', async () => {
  const phone = '15550147';
  const account = await product.telegram.createAccount({
    phone,
    first_name: 'Edsger',
    password: 'forgotten',
    recovery_email: 'edsger@example.org',
  });
  const { page } = await visitSignedIn(browser, product);
  await page.goto('/?new=user');
  await page.getByLabel('Phone number').fill(phone);
  await page.getByRole('button', { name: 'Send login code' }).click();
  await page.getByLabel('Login code').fill(await product.telegram.code(phone));
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'I forgot the password' }).click();
  await page.getByText(/e\S*@\S*/).waitFor();
  await page.getByLabel('Code from the mail').fill(await product.telegram.code(phone));
  await page.getByLabel(/^New password/).fill('remembered');
  await page.keyboard.press('Enter');
  await page.getByText('The account is signed in').waitFor();
  await page.getByRole('button', { name: 'Open the session' }).click();
  await page.waitForURL(/\/sessions\/view\/\?id=[\w-]+$/);
  await page.getByText('Edsger').first().waitFor();
  const address = page.url();

  await product.telegram.endSessions(account);
  await page.getByRole('button', { name: 'Log in again' }).click();
  await page.getByRole('button', { name: `Send a code to +${phone}` }).click();
  // Only now the newest code is the one of this login.
  await page.getByLabel('Login code').waitFor();
  await page.getByLabel('Login code').fill(await product.telegram.code(phone));
  await page.keyboard.press('Enter');
  await page.getByLabel('Two-step verification password').fill('remembered');
  await page.keyboard.press('Enter');
  await page.getByText('The account is signed in').waitFor();
  await page.getByRole('button', { name: 'Open the session' }).click();
  // The address follows the click a while later, and the page below the dialog says Ready already.
  await page.waitForURL((url) => url.href === address);
  await page.getByText('Ready').first().waitFor();
});

it('throws a login away only after the second question', async () => {
  await product.telegram.createAccount({ phone: '15550144' });
  const { page } = await visitSignedIn(browser, product);
  await page.goto('/?new=user');
  await page.getByLabel('Phone number').fill('15550144');
  await page.getByRole('button', { name: 'Send login code' }).click();
  await page.getByRole('button', { name: 'Cancel login' }).click();
  await page.getByRole('button', { name: 'Throw the login away' }).click();
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  const sessions = await product.api('GET', '/v1/sessions');
  expect(sessions).not.toContainEqual(expect.objectContaining({ phone: '15550144' }));
});

it('offers to resume when the number already has a login that waits', async () => {
  await product.telegram.createAccount({ phone: '15550145' });
  await product.api('POST', '/v1/user', {
    app_id: ((await product.api('GET', '/v1/apps')) as { id: string }[])[0]?.id,
    phone: '15550145',
  });
  const { page } = await visitSignedIn(browser, product);
  await page.goto('/?new=user');
  await page.getByLabel('Phone number').fill('+1 555-0145');
  await page.getByRole('button', { name: 'Send login code' }).click();
  await page.getByRole('button', { name: 'Resume that login' }).click();
  await page.getByLabel('Login code').waitFor();
});

it('puts what is wrong with the number beside its input', async () => {
  const { page } = await visitSignedIn(browser, product);
  await page.goto('/?new=user');
  await page.getByLabel('Phone number').fill('1234567890123456789');
  await page.getByRole('button', { name: 'Send login code' }).click();
  await page.getByText('phone must be a number with its country code').waitFor();
  expect(await page.getByLabel('Phone number').getAttribute('aria-invalid')).toBe('true');
});

it.each([
  [400, 'PHONE_NUMBER_BANNED', /PHONE_NUMBER_BANNED/],
  [420, 'FLOOD_WAIT_4242', /4242/],
])("shows Telegram's %s %s for a number, and leaves no login behind", async (code, message, shown) => {
  await product.telegram.refuseOnce('auth.sendCode', { code, message });
  const { page } = await visitSignedIn(browser, product);
  await page.goto('/?new=user');
  await page.getByLabel('Phone number').fill('+1 555 0199');
  await page.getByRole('button', { name: 'Send login code' }).click();
  await page.getByRole('alert').getByText(shown).waitFor();
  expect(await product.api('GET', '/v1/sessions')).not.toContainEqual(expect.objectContaining({ phone: '15550199' }));
});

it('logs an account out at Telegram after its name was typed', async () => {
  const { page } = await visitSignedIn(browser, product);
  const [session] = ((await product.api('GET', '/v1/sessions')) as { id: string; phone?: string }[]).filter(
    (candidate) => candidate.phone === '15550142',
  );
  await page.goto(`/sessions/view/?id=${session?.id ?? ''}`);
  await page.getByRole('button', { name: 'Log out…' }).click();
  const question = page.getByRole('alertdialog');
  const act = question.getByRole('button', { name: 'Log out' });
  expect(await act.isDisabled()).toBe(true);
  const name = (await question.getByRole('heading').textContent())?.match(/^Log (.+) out of Telegram\?$/)?.[1] ?? '';
  await question.getByLabel(/^Type/).fill(name);
  await act.click();
  await page.waitForURL(/\/sessions\/$/);
  expect(await product.api('GET', '/v1/sessions')).not.toContainEqual(expect.objectContaining({ phone: '15550142' }));
});
