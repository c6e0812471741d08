import { execFileSync } from 'node:child_process';
import type { Browser, Page } from 'playwright-core';
import { launch, overflow, seriousViolations, visitSignedIn } from './support/browser.js';
import { until } from './support/process.js';
import { startProduct, type Product } from './support/product.js';

let product: Product;
let browser: Browser;
let bot: { id: string };
/** One visitor for all: signing in takes longer than most of what is tested here. */
let page: Page;
let complaints: readonly string[];

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), launch()]);
  const app = (await product.api('POST', '/v1/apps', {
    api_id: 12345,
    api_hash: '0123456789abcdef0123456789abcdef',
    label: 'acme',
  })) as { app_id: string };
  const { token } = await product.telegram.createBot('called_bot');
  bot = (await product.api('POST', '/v1/bot', { token, app_id: app.app_id, label: 'support bot' })) as { id: string };
  await product.telegram.createAccount({ phone: '15550160', first_name: 'Ada', username: 'ada_reads' });
  ({ page, complaints } = await visitSignedIn(browser, product));
});
afterEach(() => expect(complaints).toEqual([]));
afterAll(async () => {
  await browser.close();
  await product.stop();
});

/** Opens the playground as somebody does who comes to make a call: the cursor is where the method is typed. */
async function openPlayground(): Promise<void> {
  await page.goto(`/playground/?session=${bot.id}`);
  await page.getByRole('combobox', { name: 'Method' }).waitFor();
}

/** Runs what was copied, in a shell, as a person would paste it. */
function runPasted(command: string): unknown {
  const { PATH = '' } = process.env;
  const printed = execFileSync('sh', ['-c', command], { env: { PATH, NODE_ENV: 'test', TOKEN: product.token } });
  return JSON.parse(printed.toString());
}

describe('the playground', () => {
  it('takes at most five key acts beside typing from the open page to an answer, and no mouse', async () => {
    await openPlayground();
    let acts = 0;
    const press = async (key: string): Promise<void> => {
      acts += 1;
      await page.keyboard.press(key);
    };
    await page.keyboard.type('getopt');
    await page.getByRole('option', { name: /getOption/, selected: true }).waitFor();
    await press('Enter');
    await page.keyboard.type('version');
    await press('Control+Enter');
    const answer = page.getByRole('region', { name: 'Answer' });
    await answer.getByText('200 answered').waitFor();
    expect(await answer.getByRole('region', { name: 'Result' }).textContent()).toContain('optionValueString');
    expect(acts).toBeLessThanOrEqual(5);
  });

  it('completes a message from nested types, follows it to its final id, and lists it on the session’s page', async () => {
    await openPlayground();
    await page.keyboard.type('sendmes');
    await page.getByRole('option', { name: /^sendMessage Send/, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: /^InputMessageContent/ }).waitFor();
    await page.keyboard.type('"@ada_reads"');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('End');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: /^inputMessageText / }).waitFor();
    await page.keyboard.type('messagetext');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Hello from the playground');
    await page.keyboard.press('Control+Enter');
    const sent = page.getByRole('list', { name: 'Messages sent' });
    await sent.getByText('final id').waitFor();
    const final = /final id\s*(\d+)/.exec((await sent.textContent()) ?? '')?.[1] ?? '';

    await page.getByRole('button', { name: 'Copy as curl' }).click();
    const curl = await page.evaluate(() => navigator.clipboard.readText());
    expect(curl).not.toContain(product.token);
    expect(runPasted(curl)).toMatchObject({ ok: true, result: { '@type': 'message' } });

    await page.goto(`/sessions/view/?id=${bot.id}`);
    const list = page.getByRole('list', { name: 'Sends' });
    await list.getByText(final).waitFor();
    await until('both messages to be sent', async () =>
      (await list.getByText('Sent').count()) === 2 ? true : undefined,
    );
  });

  it('says in words why a message failed, there and on the session’s page', async () => {
    await product.telegram.refuseOnce('messages.sendMessage', { code: 400, message: 'USER_IS_BLOCKED' });
    await page.goto(`/playground/?session=${bot.id}&method=sendMessage`);
    await page.getByLabel(/^Params/).fill(
      JSON.stringify({
        chat_id: '@ada_reads',
        input_message_content: { '@type': 'inputMessageText', text: { '@type': 'formattedText', text: 'x' } },
      }),
    );
    await page.keyboard.press('Control+Enter');
    const words = 'That person has blocked this account.';
    await page.getByRole('list', { name: 'Messages sent' }).getByText(words).waitFor();
    await page.goto(`/sessions/view/?id=${bot.id}`);
    await page.getByRole('list', { name: 'Sends' }).getByText(words).waitFor();
    await page.getByText('Failed').first().waitFor();
  });

  it('sends once with a key: a repeat gets the first answer', async () => {
    await page.goto(`/playground/?session=${bot.id}&method=sendMessage`);
    await page.getByLabel(/^Params/).fill(
      JSON.stringify({
        chat_id: '@ada_reads',
        input_message_content: { '@type': 'inputMessageText', text: { '@type': 'formattedText', text: 'once' } },
      }),
    );
    await page.getByLabel('Send once').check();
    await page.getByLabel(/Wait for Telegram/).check();
    await page.getByRole('button', { name: 'Send call' }).click();
    const ids = async (): Promise<string> => {
      await page.getByRole('list', { name: 'Messages sent' }).getByText('final id').waitFor();
      return (await page.getByRole('list', { name: 'Messages sent' }).textContent()) ?? '';
    };
    const first = await ids();
    await page.getByRole('button', { name: 'Send call' }).click();
    await page.getByText('the first answer again').waitFor();
    expect(await ids()).toBe(first);
  });

  it.each([
    ['an answer', 'getMe', ''],
    ['a refusal', 'getForumTopicHistory', '{"chat_id": 12345, "limit": 10}'],
  ])('shows %s accessibly and without sideways scrolling on a phone', async (_, method, params) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(`/playground/?session=${bot.id}&method=${method}`);
    await page.getByRole('region', { name: method }).waitFor();
    await page.getByLabel(/^Params/).fill(params);
    await page.keyboard.press('Control+Enter');
    await page.getByRole('region', { name: 'Answer' }).waitFor();
    expect(await overflow(page)).toBe(0);
    expect(await seriousViolations(page)).toEqual([]);
    await page.setViewportSize({ width: 1280, height: 800 });
  });

  it('remembers calls over a reload, but no answer', async () => {
    await openPlayground();
    await page.keyboard.type('getme');
    await page.getByRole('option', { name: /^getMe /, selected: true }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Control+Enter');
    await page.getByText('200 answered').waitFor();
    await page.reload();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('getMe').waitFor();
    const stored = await page.evaluate(() =>
      JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)]),
    );
    expect(stored).not.toContain('called_bot');
    expect(stored).not.toContain(product.token);
  });

  it('goes on with what was typed in the call box of a session', async () => {
    await page.goto(`/sessions/view/?id=${bot.id}`);
    await page.getByLabel('Method').fill('getChat');
    await page.getByLabel(/^Params/).fill('{"chat_id": 77}');
    await page.getByRole('link', { name: 'Open in the playground' }).click();
    await page.getByRole('region', { name: 'getChat' }).waitFor();
    expect(await page.getByLabel(/^Params/).inputValue()).toBe('{"chat_id": 77}');
  });

  it('answers every example of the call box that is said to work as it is', async () => {
    await page.goto(`/sessions/view/?id=${bot.id}`);
    await page.getByText('called_bot').first().waitFor();
    const examples = page.getByLabel('Start from').locator('optgroup[label="Work as they are"] option');
    const names = await examples.allTextContents();
    expect(names.length).toBeGreaterThan(2);
    const head = page.getByRole('region', { name: 'Answer' }).getByText(/^\d+ (answered|refused)$/);
    for (const name of names) {
      await page.getByLabel('Start from').selectOption({ label: name });
      await page.getByRole('button', { name: 'Send call' }).click();
      await head.waitFor();
      expect(`${name}: ${(await head.textContent()) ?? ''}`).toBe(`${name}: 200 answered`);
    }
  });
});

describe('API tokens', () => {
  it('are made for a session, shown once, and work as copied until they are disabled or deleted', async () => {
    await page.goto('/tokens/');
    await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
    await page.getByRole('button', { name: 'Make a token' }).first().click();
    await page.getByLabel(/^Label/).fill('billing');
    await page.getByRole('checkbox', { name: /support bot/ }).check();
    await page.getByRole('button', { name: 'Make the token' }).click();
    const shown = page.getByRole('dialog', { name: 'Copy the token now' });
    await shown.waitFor();

    await page.keyboard.press('Escape');
    await page.mouse.click(5, 5);
    await page.goBack();
    expect(await shown.isVisible()).toBe(true);
    await shown.getByRole('button', { name: 'Copy curl' }).click();
    const curl = await page.evaluate(() => navigator.clipboard.readText());
    expect(runPasted(curl)).toMatchObject({ ok: true, result: { '@type': 'user' } });
    await shown.getByRole('button', { name: 'Done' }).click();
    await shown.waitFor({ state: 'detached' });
    expect(await page.content()).not.toContain(/Bearer ([^']+)/.exec(curl)?.[1]);

    await page.goto('/tokens/');
    await page.getByRole('button', { name: 'Disable billing' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    expect(runPasted(curl)).toMatchObject({ ok: false });
    await page.getByRole('button', { name: 'Enable billing' }).click();
    await page.getByText('Enabled', { exact: true }).waitFor();
    expect(runPasted(curl)).toMatchObject({ ok: true });

    await page.getByRole('button', { name: 'Actions for billing' }).click();
    await page.getByRole('menuitem', { name: 'What it may do' }).click();
    const rights = page.getByRole('dialog', { name: 'What billing may do' });
    await rights.getByRole('button', { name: 'Check' }).click();
    await rights.getByText('Yes: the call would be passed on to Telegram.').waitFor();
    await rights.getByLabel('Method').fill('setPassword');
    await rights.getByRole('button', { name: 'Check' }).click();
    await rights.getByText('403 scope_denied').waitFor();
    await page.keyboard.press('Escape');
    await rights.waitFor({ state: 'detached' });

    await page.getByRole('button', { name: 'Actions for billing' }).click();
    await page.getByRole('menuitem', { name: 'Delete' }).click();
    await page
      .getByRole('alertdialog', { name: 'Delete billing?' })
      .getByRole('button', { name: 'Delete token' })
      .click();
    await page.getByRole('heading', { name: 'No tokens yet' }).waitFor();
    expect(runPasted(curl)).toMatchObject({ ok: false });
  });
});

describe('the limits of an account', () => {
  it('count a cooldown down with its reason, and are lifted with one', async () => {
    const phone = '15550161';
    const apps = (await product.api('GET', '/v1/apps')) as { id: string }[];
    await product.telegram.createAccount({ phone, first_name: 'Bob' });
    const { id } = (await product.api('POST', '/v1/user', { app_id: apps[0]?.id, phone, label: 'bob' })) as {
      id: string;
    };
    await product.api('POST', `/v1/user/${id}/login/code`, { code: await product.telegram.code(phone) });
    await until('the account', async () => {
      const { status } = (await product.api('GET', `/v1/user/${id}`)) as { status: string };
      return status === 'authorized' || undefined;
    });
    await product.telegram.refuseOnce('contacts.resolveUsername', { code: 420, message: 'FLOOD_WAIT_3600' });
    const search = { method: 'searchPublicChat', params: { username: 'not_seen_yet' } };
    await expect(product.api('POST', `/v1/user/${id}/call`, search)).rejects.toThrow('429');

    await page.goto(`/sessions/view/?id=${id}&tab=limits`);
    const left = page.getByRole('timer', { name: 'Left of Looking up' });
    await left.waitFor();
    const first = (await left.textContent()) ?? '';
    expect(first).toMatch(/^(59:\d\d|1:00:00)$/);
    await until('the next second', async () => ((await left.textContent()) !== first ? true : undefined));
    await page.getByRole('list', { name: 'Cooldowns' }).getByText('retry after 3600', { exact: false }).waitFor();
    await page
      .getByRole('table', { name: /^Floods by day/ })
      .getByText('Looking up')
      .waitFor();

    await page.getByRole('button', { name: 'Lift Looking up' }).click();
    await page.getByLabel('Reason').fill('a test of the console');
    await page.getByRole('button', { name: 'Lift it' }).click();
    await page.getByText(/^Nothing is closed/).waitFor();

    await page.goto(`/audit/?object=${id}&action=liftCooldown`);
    await page.getByRole('list', { name: 'Events' }).getByText('lift cooldown').waitFor();
  });
});
