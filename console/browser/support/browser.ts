import { readFileSync } from 'node:fs';
import { chromium, type Browser, type BrowserContext, type Page } from 'playwright-core';
import { PATIENCE_MS } from './process.js';
import type { Product } from './product.js';

/** Everything that Chromium would do on its own, off; without a sandbox, because tests often run as root. */
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** A Chromium of the machine. */
export function launch(): Promise<Browser> {
  return chromium.launch({ executablePath: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium', args: FLAGS });
}

interface Look {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
}

/** A page and what went wrong in it that nobody would see. */
export interface Watched {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Uncaught errors, violations of the content security policy, and requests to other origins. */
  readonly complaints: readonly string[];
}

/** What was opened since the test began: an open page goes on asking the product, and takes the processor from the tests that follow. */
let opened: BrowserContext[] = [];
beforeEach(() => {
  // Visitors that came before all tests are for all of them.
  opened = [];
});
afterEach(async () => {
  await Promise.all(opened.map((context) => context.close()));
});

/** A fresh visitor, who leaves at the end of the test that they came in. */
export async function visit(
  browser: Browser,
  product: Product,
  { theme = 'light', width = 1280 }: Look = {},
): Promise<Watched> {
  const context = await browser.newContext({
    baseURL: product.url,
    viewport: { width, height: width < 600 ? 844 : 800 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  opened.push(context);
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (/Content Security Policy|hydrat/i.test(message.text())) complaints.push(message.text());
  });
  page.on('request', (request) => {
    const outside = !request.url().startsWith(product.url) && !/^(data|blob):/.test(request.url());
    if (outside) complaints.push(`outside request: ${request.url()}`);
  });
  return { page, context, complaints };
}

/** Signs in through the form, as a person does. */
export async function signIn(page: Page, product: Product, path = '/'): Promise<void> {
  await page.goto(path);
  await page.getByLabel('API token').fill(product.token);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation', { name: 'Main' }).first().waitFor({ state: 'attached' });
}

/** A visitor who is signed in. */
export async function visitSignedIn(browser: Browser, product: Product, look: Look = {}): Promise<Watched> {
  const watched = await visit(browser, product, look);
  await signIn(watched.page, product);
  await watched.page.getByRole('heading', { name: 'Overview' }).waitFor();
  return watched;
}

const AXE = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

/** Of all rules of axe those that look at colours: nothing else changes with the theme. */
const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/** What axe finds that keeps people out: serious and critical violations, one line each. @param rules all, or only of colours */
export async function seriousViolations(page: Page, rules: 'all' | 'colours' = 'all'): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(AXE);
  return page.evaluate(
    async (runOnly) => {
      interface Axe {
        run(options: { resultTypes: readonly string[]; runOnly?: readonly string[] }): Promise<{
          violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
        }>;
      }
      const options = { resultTypes: ['violations'], ...(runOnly && { runOnly }) };
      const { violations } = await (globalThis as unknown as { axe: Axe }).axe.run(options);
      return violations
        .filter(({ impact }) => impact === 'serious' || impact === 'critical')
        .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`));
    },
    rules === 'all' ? undefined : COLOUR_RULES,
  );
}

/** By how many pixels the page is wider than its window. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
}
