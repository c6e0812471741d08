import type { Browser } from 'playwright-core';
import { launch, signIn, visit } from './support/browser.js';
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

it('refuses a wrong token in words and lets the right one in', async () => {
  const { page, complaints } = await visit(browser, product);
  await page.goto('/sessions/');
  await page.getByLabel('API token').fill('tgc_wrong');
  await page.keyboard.press('Enter');
  await page.getByText('not the one the server was started with').waitFor();
  await page.getByLabel('API token').fill(product.token);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'No sessions yet' }).waitFor();
  expect(complaints).toEqual([]);
});

it('keeps the token out of the page: only a cookie that scripts cannot read survives a reload', async () => {
  const { page, context } = await visit(browser, product);
  await signIn(page, product);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const stored = await page.evaluate(() =>
    JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie]),
  );
  expect(stored).not.toContain(product.token);
  expect(stored).not.toContain('tgcontrol_console');
  expect(await context.cookies()).toEqual([
    expect.objectContaining({ name: 'tgcontrol_console', httpOnly: true, sameSite: 'Strict', path: '/' }),
  ]);
  await page.reload();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
});

it('signs out, and the old cookie is worth nothing then', async () => {
  const { page, context } = await visit(browser, product);
  await signIn(page, product);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  const [cookie] = await context.cookies();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out.').waitFor();
  const response = await fetch(`${product.url}/v1/sessions`, {
    headers: { cookie: `tgcontrol_console=${cookie?.value ?? ''}` },
  });
  expect(response.status).toBe(401);
});

it('signs out with the reason when the session ends elsewhere', async () => {
  const { page, context } = await visit(browser, product);
  await signIn(page, product);
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await context.clearCookies();
  await page.getByText('You were signed out').waitFor();
  await page.getByLabel('API token').waitFor();
});

it('runs under a policy that allows no script but its own files', async () => {
  const { page, complaints } = await visit(browser, product);
  const response = await page.goto('/');
  const policy = response?.headers()['content-security-policy'] ?? '';
  expect(policy).toContain("script-src 'self'");
  expect(policy).not.toMatch(/script-src[^;]*unsafe/);
  await page.getByLabel('API token').waitFor();
  expect(complaints).toEqual([]);
});
