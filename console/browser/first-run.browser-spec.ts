import { execFileSync } from 'node:child_process';
import type { Browser } from 'playwright-core';
import { launch, visitSignedIn } from './support/browser.js';
import { startProduct, type Product } from './support/product.js';

let product: Product;
let browser: Browser;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), launch()]);
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

it('leads from an empty installation over an app and a bot to the first call, which runs as curl as well', async () => {
  const { token } = await product.telegram.createBot('first_run_bot');
  const { page, complaints } = await visitSignedIn(browser, product);
  const steps = page.getByRole('region', { name: 'First steps' });

  await steps.getByRole('button', { name: 'Add the app' }).click();
  await page.getByLabel('api_id').fill('12345');
  await page.getByLabel('api_hash', { exact: true }).fill('0123456789abcdef0123456789abcdef');
  await page.getByRole('button', { name: 'Add app' }).click();

  await steps.getByRole('button', { name: 'Add a bot' }).click();
  await page.getByLabel('Bot token').fill(token);
  await page.getByLabel('Label optional').fill('first bot');
  await page.getByRole('dialog').getByRole('button', { name: 'Add bot' }).click();
  await page.getByRole('heading', { name: 'first bot', level: 1 }).waitFor();
  await page.getByText('@first_run_bot').first().waitFor();

  await page.getByRole('button', { name: 'Send call' }).click();
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText('200 answered').waitFor();
  expect(await answer.getByRole('region', { name: 'Result' }).textContent()).toContain('"first_run_bot"');
  expect(await answer.textContent()).toMatch(/\d+ ms/);
  expect(await answer.textContent()).toMatch(/request \S+/);

  await page.getByRole('button', { name: 'Copy as curl' }).click();
  const curl = await page.evaluate(() => navigator.clipboard.readText());
  expect(curl).toContain('$TOKEN');
  expect(curl).not.toContain(product.token);
  const { PATH = '' } = process.env;
  const printed = execFileSync('sh', ['-c', curl], {
    env: { PATH, NODE_ENV: 'test', TOKEN: product.token },
  }).toString();
  expect(JSON.parse(printed)).toMatchObject({ ok: true, result: { '@type': 'user' } });

  await page.goto('/');
  await page.getByText('Nothing. Every session is ready').waitFor();
  await steps.waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

it("shows Telegram's refusal of a call with its request id", async () => {
  const { page } = await visitSignedIn(browser, product);
  await page.goto('/sessions/');
  await page.getByRole('link', { name: 'first bot' }).click();
  await page.getByLabel('Method').fill('getChat');
  await page.getByLabel(/^Params/).fill('{"chat_id": 4242}');
  await page.keyboard.press('Control+Enter');
  const answer = page.getByRole('region', { name: 'Answer' });
  await answer.getByText(/^4\d\d refused$/).waitFor();
  expect(await answer.getByRole('region', { name: 'Error' }).textContent()).toContain('"source": "tdlib"');
});

it('names what is wrong with the params before anything is sent', async () => {
  const { page } = await visitSignedIn(browser, product);
  await page.goto('/sessions/');
  await page.getByRole('link', { name: 'first bot' }).click();
  await page.getByLabel(/^Params/).fill('[1]');
  await page.getByRole('button', { name: 'Send call' }).click();
  await page.getByText('The params are one JSON object').waitFor();
});

it("shows Telegram's words for a bad bot token and leaves no session behind", async () => {
  const { page } = await visitSignedIn(browser, product);
  await page.goto('/sessions/?new=bot');
  await page.getByLabel('Bot token').fill('4242:AAbadbadbadbadbadbadbadbadbadbadbad');
  await page.getByRole('dialog').getByRole('button', { name: 'Add bot' }).click();
  await page
    .getByRole('alert')
    .getByText(/ACCESS_TOKEN/)
    .waitFor();
  expect(await product.api('GET', '/v1/sessions')).toHaveLength(1);
});

it('says which session keeps an app from being deleted', async () => {
  const { page } = await visitSignedIn(browser, product);
  await page.goto('/apps/');
  await page.getByRole('button', { name: /^Actions for/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const question = page.getByRole('alertdialog');
  await question.getByRole('button', { name: 'Delete app' }).click();
  await question.getByRole('link', { name: 'first bot' }).waitFor();
});

it('fills a proxy from its link, puts it on a session, renames the session, and removes both', async () => {
  const { page } = await visitSignedIn(browser, product);
  await page.goto('/proxies/');
  await page.getByRole('heading', { name: 'No proxies' }).waitFor();
  await page.getByRole('button', { name: 'Add a proxy' }).first().click();
  await page.getByLabel(/^Proxy link/).fill('socks5://user:pass@127.0.0.1:1081');
  expect(await page.getByLabel('Host').inputValue()).toBe('127.0.0.1');
  expect(await page.getByLabel('Port').inputValue()).toBe('1081');
  await page.getByLabel(/^Label/).fill('spare');
  await page.getByRole('dialog').getByRole('button', { name: 'Add proxy' }).click();
  await page.getByText('socks5 127.0.0.1:1081').waitFor();
  await page.getByRole('button', { name: /^Actions for spare/ }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Delete proxy' }).click();
  await page.getByRole('heading', { name: 'No proxies' }).waitFor();

  await page.goto('/sessions/');
  await page.getByRole('link', { name: 'first bot' }).click();
  await page.getByLabel(/^Label/).fill('renamed bot');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByRole('heading', { name: 'renamed bot', level: 1 }).waitFor();
  await page.getByRole('button', { name: 'Remove…' }).click();
  await page.getByRole('alertdialog').getByText('Nothing changes at Telegram').waitFor();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
});
