import type { Browser, Page } from 'playwright-core';
import { launch, overflow, seriousViolations, visit, visitSignedIn } from './support/browser.js';
import { startProduct, type Product } from './support/product.js';

let product: Product;
let browser: Browser;
let sessionPage: string;
let loginPage: string;
let playground: string;
let webhookPage: string;
let poolPage: string;

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct({ WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' }), launch()]);
  const app = (await product.api('POST', '/v1/apps', {
    api_id: 12345,
    api_hash: '0123456789abcdef0123456789abcdef',
    label: 'acme',
  })) as { app_id: string };
  await product.api('POST', '/v1/proxies', { type: 'socks5', host: '127.0.0.1', port: 1081, label: 'Frankfurt' });
  const { token, userId: botId } = await product.telegram.createBot('looked_at_bot');
  const bot = (await product.api('POST', '/v1/bot', { token, app_id: app.app_id, label: 'support bot' })) as {
    id: string;
  };
  const ada = await product.telegram.createAccount({ phone: '15550150', password: 'secret' });
  const user = (await product.api('POST', '/v1/user', { app_id: app.app_id, phone: '15550150' })) as { id: string };
  sessionPage = `/sessions/view/?id=${bot.id}`;
  playground = `/playground/?session=${bot.id}&method=sendMessage`;
  await product.api('POST', '/v1/tokens', { name: 'billing service', session_ids: [bot.id] });
  await product.api('POST', '/v1/limits', {
    level: 'session',
    kind: 'user',
    methods: ['@send', '@join'],
    max: 200,
    per: 'day',
    timezone: 'Europe/Berlin',
    label: 'careful sending',
  });
  loginPage = `/sessions/?login=${user.id}`;
  await product.api('POST', '/v1/files?name=report.json', { some: 'bytes' });
  const subscriptions = `/v1/bot/${bot.id}/updates/subscriptions`;
  await product.api('POST', subscriptions, { kind: 'stream' });
  // Nobody listens there: a webhook in trouble has the most to show.
  const hook = (await product.api('POST', subscriptions, { url: 'http://127.0.0.1:9/hook' })) as { id: string };
  webhookPage = `${sessionPage}&tab=webhooks&sub=${hook.id}`;
  await product.telegram.post({ from: ada, chat_id: botId, text: 'hello' });
  const stranger = await product.telegram.createBot('put_aside_bot');
  const aside = (await product.api('POST', '/v1/bot', { token: stranger.token, app_id: app.app_id })) as { id: string };
  const channel = await product.telegram.createChannel('Store', [ada, botId]);
  const pool = (await product.api('POST', '/v1/pools', {
    name: 'store',
    chat_id: channel,
    session_ids: [bot.id, aside.id],
  })) as { id: string };
  await product.api('PUT', '/v1/pools/store/objects/images/1.json', { some: 'bytes' });
  poolPage = `/pools/view/?id=${pool.id}`;
});
afterAll(async () => {
  await browser.close();
  await product.stop();
});

/** The playground with its docs, a list of suggestions, and what its call sends. */
async function openSuggestions(page: Page): Promise<void> {
  await page.getByRole('button', { name: /^InputMessageContent/ }).waitFor();
  await page.getByLabel(/^Params/).fill('{"input_message_content": {"@type": ""}}');
  for (let left = 0; left < 3; left += 1) await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Control+Space');
  await page.getByRole('option', { name: /^inputMessageText/ }).waitFor();
}

/** The dialog that tells what a token may do, with an answer of its tester. */
async function openRights(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Actions for billing service' }).click();
  await page.getByRole('menuitem', { name: 'What it may do' }).click();
  await page.getByLabel('Method').fill('setPassword');
  await page.getByRole('button', { name: 'Check' }).click();
  await page.getByText('403 scope_denied').waitFor();
}

/** The form of a rule with what the rule would do. */
async function openNewRule(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Make a rule' }).first().click();
  await page.getByText(/^Binds \d/).waitFor();
}

/** An object with its messages, over the folder that it is in. */
async function openObject(page: Page): Promise<void> {
  await page.getByRole('button', { name: '1.json', exact: true }).click();
  await page.getByRole('dialog').getByText('In one message').waitFor();
}

/** The access keys of a token that has none. */
async function openKeys(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Actions for billing service' }).click();
  await page.getByRole('menuitem', { name: 'S3 access keys' }).click();
  await page.getByRole('dialog').getByText('No keys yet').waitFor();
}

/** Every page and dialog, with something on it that shows it is done. */
const places = (): [path: string, ready: (page: Page) => Promise<void>][] => [
  ['/', (page) => page.getByRole('heading', { name: 'Sessions by state' }).waitFor()],
  ['/sessions/', (page) => page.getByRole('link', { name: 'support bot' }).waitFor()],
  [sessionPage, (page) => page.getByRole('button', { name: 'Send call' }).waitFor()],
  [
    `${sessionPage}&tab=files`,
    (page) => page.getByRole('region', { name: 'Disk use' }).getByText('Databases').waitFor(),
  ],
  [`${sessionPage}&tab=limits`, (page) => page.getByText('No rule is about this session.').waitFor()],
  [`${sessionPage}&tab=events`, (page) => page.getByRole('region', { name: 'Live events' }).waitFor()],
  [`${sessionPage}&tab=webhooks`, (page) => page.getByText('127.0.0.1:9').first().waitFor()],
  [webhookPage, (page) => page.getByRole('list', { name: 'Deliveries' }).waitFor()],
  ['/files/', (page) => page.getByText('report.json').waitFor()],
  ['/pools/', (page) => page.getByText('Degraded').waitFor()],
  [poolPage, (page) => page.getByText('Put aside').waitFor()],
  [`${poolPage}&tab=objects&prefix=images/`, openObject],
  ['/?new=pool', (page) => page.getByText('No bot is free').waitFor()],
  ['/events/', (page) => page.getByRole('region', { name: 'Live events' }).waitFor()],
  ['/webhooks/', (page) => page.getByText('127.0.0.1:9').first().waitFor()],
  ['/apps/', (page) => page.getByText('api_id 12345').waitFor()],
  ['/proxies/', (page) => page.getByText('socks5 127.0.0.1:1081').waitFor()],
  [playground, openSuggestions],
  ['/tokens/', (page) => page.getByText('billing service').waitFor()],
  ['/?new=token', (page) => page.getByRole('checkbox', { name: /support bot/ }).waitFor()],
  ['/tokens/', openRights],
  ['/tokens/', openKeys],
  ['/limits/', (page) => page.getByText('careful sending').waitFor()],
  ['/limits/', openNewRule],
  ['/audit/', (page) => page.getByText('create token').first().waitFor()],
  ['/workers/', (page) => page.getByText('Alive').waitFor()],
  ['/?new=bot', (page) => page.getByLabel('Bot token').waitFor()],
  ['/?new=user', (page) => page.getByLabel('Phone number').waitFor()],
  ['/?new=app', (page) => page.getByLabel('api_id').waitFor()],
  ['/?new=proxy', (page) => page.getByLabel('Host').waitFor()],
  [loginPage, (page) => page.getByLabel('Login code').waitFor()],
];

/** For all of them one after the other, on a machine that has much else to do. */
const WALK_MS = 900_000;

const THEMES = ['light', 'dark'] as const;

/** Waits for colours that are still on their way from one theme to the other. */
async function colourTransitions(page: Page): Promise<void> {
  await page.waitForFunction(() => !document.getAnimations().some((animation) => animation instanceof CSSTransition));
}

/** What axe finds, in each theme: the page follows the system's, so that it need not be loaded for each. */
async function violationsByTheme(page: Page): Promise<string[]> {
  const found: string[] = [];
  for (const theme of THEMES) {
    await page.emulateMedia({ colorScheme: theme });
    await page.locator(`html[data-theme="${theme}"]`).waitFor();
    await colourTransitions(page);
    const rules = theme === THEMES[0] ? 'all' : 'colours';
    found.push(...(await seriousViolations(page, rules)).map((violation) => `${theme}: ${violation}`));
  }
  return found;
}

const PHONES_PX = [390, 360];

/** Where it is wider than a phone, and by how much. */
async function tooWideFor(page: Page): Promise<string[]> {
  const before = page.viewportSize();
  const found: string[] = [];
  for (const width of PHONES_PX) {
    await page.setViewportSize({ width, height: 844 });
    const by = await overflow(page);
    if (by > 0) found.push(`${by} px wider than ${width} px`);
  }
  if (before !== null) await page.setViewportSize(before);
  return found;
}

it(
  'has no serious accessibility violation on any page or dialog, in either theme, and fits a phone without sideways scrolling',
  async () => {
    const { page } = await visit(browser, product);
    await page.goto('/');
    await page.getByLabel('API token').waitFor();
    const found: Record<string, string[]> = {
      'sign-in': [...(await violationsByTheme(page)), ...(await tooWideFor(page))],
    };
    const signedIn = await visitSignedIn(browser, product);
    for (const [path, ready] of places()) {
      await signedIn.page.goto(path);
      await ready(signedIn.page);
      const violations = await violationsByTheme(signedIn.page);
      (found[path] ??= []).push(...violations, ...(await tooWideFor(signedIn.page)));
    }
    expect(Object.fromEntries(Object.entries(found).filter(([, violations]) => violations.length > 0))).toEqual({});
  },
  WALK_MS,
);

describe.each(THEMES)('in the %s theme', (theme) => {
  it('is painted in it from the first frame', async () => {
    const { page } = await visit(browser, product, { theme });
    await page.goto('/', { waitUntil: 'commit' });
    // The first paint cannot come before the blocking script in the head has set this.
    await page.locator('body').waitFor({ state: 'attached' });
    expect(await page.evaluate(() => document.documentElement.dataset['theme'])).toBe(theme);
  });
});

it('keeps a chosen theme over a reload and against the system', async () => {
  const { page } = await visitSignedIn(browser, product, { theme: 'light' });
  await page.getByRole('radio', { name: 'Dark theme' }).click();
  await page.locator('html[data-theme="dark"]').waitFor();
  await page.reload();
  await page.locator('html[data-theme="dark"]').waitFor();
  await page.getByRole('radio', { name: 'Theme of the system' }).click();
  await page.locator('html[data-theme="light"]').waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-theme="dark"]').waitFor();
});

it('reaches every page from the bar at the bottom of a phone', async () => {
  const { page } = await visitSignedIn(browser, product, { width: 390 });
  const bar = page.getByRole('navigation', { name: 'Main' });
  await bar.getByRole('link', { name: 'Sessions' }).click();
  await page.waitForURL(/\/sessions\/$/);
  await page.getByRole('button', { name: 'More' }).click();
  await page.getByRole('dialog').getByRole('link', { name: 'Workers' }).click();
  await page.waitForURL(/\/workers\/$/);
  await page.getByRole('dialog').waitFor({ state: 'detached' });
});

it('is usable by keyboard alone: skip link, palette, a dialog that keeps the focus and gives it back', async () => {
  const { page } = await visitSignedIn(browser, product);
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '');
  await page.reload();
  await page.getByRole('heading', { name: 'Sessions by state' }).waitFor();
  await page.keyboard.press('Tab');
  expect(await focused()).toBe('Skip to the content');
  await page.keyboard.press('Enter');
  expect(await page.evaluate(() => document.activeElement?.id)).toBe('main');

  await page.keyboard.press('Control+k');
  await page.keyboard.type('support');
  await page.getByRole('option', { name: /support bot/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'support bot', level: 1 }).waitFor();

  await page.getByLabel('Method').focus();
  await page.keyboard.press('Control+Enter');
  await page.getByText('200 answered').waitFor();

  await page.getByRole('heading', { name: 'support bot', level: 1 }).click();
  await page.keyboard.press('g');
  await page.keyboard.press('a');
  await page.waitForURL(/\/apps\/$/);
  const add = page.getByRole('button', { name: 'Add an app' });
  await add.focus();
  await page.keyboard.press('Enter');
  await page.getByLabel('api_id').waitFor();
  for (let press = 0; press < 12; press += 1) {
    await page.keyboard.press('Tab');
    expect(await page.evaluate(() => document.activeElement?.closest('[role="dialog"]') !== null)).toBe(true);
  }
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  expect(await focused()).toBe('Add an app');

  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
});
