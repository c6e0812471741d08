import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { launch, overflow, seriousViolations, visitSignedIn } from './support/browser.js';
import { hasCaddy, startCaddy } from './support/caddy.js';
import { until } from './support/process.js';
import { startProduct, type Product } from './support/product.js';

let product: Product;
let browser: Browser;
let bot: { id: string; userId: number };
let friend: number;
let page: Page;
let complaints: readonly string[];

/** Somebody's server that updates are posted to. */
class Receiver {
  status = 200;
  readonly got: { readonly headers: IncomingHttpHeaders; readonly body: string }[] = [];
  private readonly server: Server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8');
    request.on('data', (chunk: string) => (body += chunk));
    request.on('end', () => {
      this.got.push({ headers: request.headers, body });
      response.statusCode = this.status;
      response.end(this.status === 200 ? 'thanks' : 'out of order');
    });
  });

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/hook`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }
}
const receiver = new Receiver();

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct({ WEBHOOK_ALLOW_NETWORKS: '127.0.0.0/8' }), launch()]);
  const app = (await product.api('POST', '/v1/apps', {
    api_id: 12345,
    api_hash: '0123456789abcdef0123456789abcdef',
  })) as { app_id: string };
  const { token, userId } = await product.telegram.createBot('watched_bot');
  const { id } = (await product.api('POST', '/v1/bot', { token, app_id: app.app_id, label: 'support bot' })) as {
    id: string;
  };
  bot = { id, userId };
  friend = await product.telegram.createAccount({ phone: '15550180', first_name: 'Bea' });
  ({ page, complaints } = await visitSignedIn(browser, product));
});
afterEach(() => expect(complaints).toEqual([]));
afterAll(async () => {
  await browser.close();
  await product.stop();
  await receiver.stop();
});

/** Bea writes to the bot. */
const write = (text: string): Promise<void> => product.telegram.post({ from: friend, chat_id: bot.userId, text });

it('adds a webhook in steps, keeps its secret through stray clicks, and delivers what verifies', async () => {
  const url = await receiver.start();
  await page.goto(`/sessions/view/?id=${bot.id}&tab=webhooks`);
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  await page.getByLabel('URL').fill(url);
  await page.keyboard.press('Enter');
  await page.getByText('nothing to try the filters on').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Next' }).click();
  await page.getByRole('button', { name: 'Add webhook' }).click();

  const dialog = page.getByRole('dialog', { name: 'Copy the secret now' });
  await dialog.waitFor();
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  expect(await dialog.isVisible()).toBe(true);
  await dialog.getByRole('button', { name: 'Copy secret' }).click();
  const secret = await page.evaluate(() => navigator.clipboard.readText());
  await dialog.getByRole('button', { name: 'Send a test event' }).click();
  await dialog.getByText('Delivered').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Done' }).click();

  await write('first');
  const deliveries = page.getByRole('list', { name: 'Deliveries' });
  await deliveries.getByRole('button', { name: 'updateNewMessage' }).waitFor();
  const { headers, body } = await until('the message', () =>
    Promise.resolve(receiver.got.find((request) => request.body.includes('"first"'))),
  );
  expect(headers['x-tgcontrol-signature']).toBe(`sha256=${createHmac('sha256', secret).update(body).digest('hex')}`);
});

it('shows why a delivery fails and when it is tried again, and tries it at once when asked', async () => {
  receiver.status = 500;
  await write('second');
  await page.getByText('Failing', { exact: true }).first().waitFor();
  const waiting = page.getByRole('list', { name: 'Deliveries' }).locator('li').filter({ hasText: 'Waiting' });
  await waiting.getByText('the receiver answered 500').waitFor();
  receiver.status = 200;
  await waiting.getByRole('button', { name: 'updateNewMessage' }).click();
  const dialog = page.getByRole('dialog', { name: 'updateNewMessage' });
  await dialog.getByText('out of order').first().waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(page)).toBe(0);
  expect(await seriousViolations(page)).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
  await dialog.getByRole('button', { name: 'Try it again' }).click();
  await dialog.getByText('Delivered', { exact: true }).waitFor();
  await page.keyboard.press('Escape');
});

(hasCaddy ? it : it.skip)(
  'shows events through Caddy over three lost connections, without a gap or a double',
  async () => {
    const caddy = await startCaddy(product);
    try {
      const watched = await visitSignedIn(browser, { ...product, url: caddy.url });
      const { page: site } = watched;
      await site.goto(`/sessions/view/?id=${bot.id}&tab=events`);
      await site.getByRole('button', { name: 'Watch every update' }).click();
      // Until it is there, what is live is the webhook of the tests before.
      await site.getByRole('button', { name: 'Stop keeping every update' }).waitFor();
      await site.getByRole('region', { name: 'Live events' }).getByText('Live', { exact: true }).waitFor();
      await site.getByLabel('Search in the events').fill('number ');
      const numbers = (): Promise<string[]> =>
        site
          .getByRole('list', { name: 'Live events' })
          .locator('li')
          .filter({ hasText: 'updateNewMessage' })
          .evaluateAll((rows) => rows.map((row) => /number (\d+)/.exec(row.textContent)?.[1] ?? '').reverse());
      let count = 0;
      const more = async (): Promise<void> => {
        for (let left = 0; left < 3; left += 1) await write(`number ${(count += 1)}`);
      };
      /** Each number once, in its order; what is missing or there twice is named. */
      const complete = async (): Promise<void> => {
        // When it does not come, what is there says more than that it is late.
        await until('the newest event', async () => (await numbers()).at(-1) === String(count) || undefined).catch(
          () => undefined,
        );
        expect(await numbers()).toEqual(Array.from({ length: count }, (_, index) => String(index + 1)));
      };
      await more();
      for (let cut = 0; cut < 3; cut += 1) {
        const restarted = caddy.restart();
        await more();
        await restarted;
        await complete();
        await more();
      }
      await complete();
      expect(watched.complaints).toEqual([]);
    } finally {
      await caddy.stop();
    }
  },
);

it('shows the events of all sessions in one list, and which webhook got one', async () => {
  await page.goto('/events/');
  if (!hasCaddy) await page.getByRole('button', { name: 'Watch support bot' }).click();
  const list = page.getByRole('region', { name: 'Live events' });
  await list.getByText('Live', { exact: true }).waitFor();
  await write('for everybody');
  await list.getByText('for everybody').waitFor();
  await list.getByRole('button', { name: 'updateNewMessage' }).first().click();
  await page.getByRole('region', { name: 'Who got it' }).getByText('Delivered').waitFor();
  expect(await seriousViolations(page)).toEqual([]);
  await page.goto('/webhooks/');
  await page.getByRole('list', { name: 'Webhooks and streams' }).getByText('support bot').first().waitFor();
});
