import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateSync } from 'node:zlib';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launch, overflow, seriousViolations, visitSignedIn } from './support/browser.js';
import { until } from './support/process.js';
import { startProduct, type Product } from './support/product.js';

const MIB = 1024 * 1024;
const PHONE = '15550170';

let product: Product;
let browser: Browser;
let user: { id: string };
let appId: string;
let friend: number;
let page: Page;
let wire: CDPSession;
let complaints: readonly string[];
const dir = mkdtempSync(join(tmpdir(), 'tgcontrol-films-'));

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

/** A picture of one colour. */
function png(width: number, height: number): Buffer {
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const frame = Buffer.alloc(8);
    frame.writeUInt32BE(data.length, 0);
    frame.writeUInt32BE(crc32(body), 4);
    return Buffer.concat([frame.subarray(0, 4), body, frame.subarray(4)]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(width * 3, Buffer.from([11, 106, 132]))]);
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', head), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))]);
}

/** Seconds of silence. */
function wav(seconds: number): Buffer {
  const rate = 8_000;
  const head = Buffer.alloc(44);
  head.write('RIFF', 0);
  head.writeUInt32LE(36 + rate * seconds, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate, 28);
  head.writeUInt16LE(1, 32);
  head.writeUInt16LE(8, 34);
  head.write('data', 36);
  head.writeUInt32LE(rate * seconds, 40);
  return Buffer.concat([head, Buffer.alloc(rate * seconds, 128)]);
}

beforeAll(async () => {
  [product, browser] = await Promise.all([startProduct(), launch()]);
  const app = (await product.api('POST', '/v1/apps', {
    api_id: 12345,
    api_hash: '0123456789abcdef0123456789abcdef',
  })) as { app_id: string };
  appId = app.app_id;
  const ada = await product.telegram.createAccount({ phone: PHONE, first_name: 'Ada' });
  friend = await product.telegram.createAccount({ phone: '15550171', first_name: 'Bea' });
  user = (await product.api('POST', '/v1/user', { app_id: app.app_id, phone: PHONE, label: 'ada' })) as { id: string };
  await product.api('POST', `/v1/user/${user.id}/login/code`, { code: await product.telegram.code(PHONE) });
  const send = { from: friend, chat_id: ada };
  await product.telegram.post({ ...send, photo: { bytes: png(640, 480).toString('base64'), name: 'sea.png' } });
  const tone = { bytes: wav(3).toString('base64'), name: 'tone.wav', mime_type: 'audio/wav' };
  await product.telegram.post({ ...send, document: tone });
  ({ page, complaints } = await visitSignedIn(browser, product));
  wire = await page.context().newCDPSession(page);
});
afterEach(() => expect(complaints).toEqual([]));
afterAll(async () => {
  await browser.close();
  await product.stop();
  rmSync(dir, { recursive: true, force: true });
});

/** The line to the server: cut, or with so many bytes a second. */
function line(bytesPerSecond: number, offline = false): Promise<unknown> {
  const speed = { downloadThroughput: -1, uploadThroughput: bytesPerSecond };
  return wire.send('Network.emulateNetworkConditions', { offline, latency: 0, ...speed });
}

it('uploads through a cut and a reload, sends from the playground, and downloads the same bytes', async () => {
  const bytes = randomBytes(6 * MIB);
  const film = join(dir, 'film.bin');
  writeFileSync(film, bytes);
  const other = join(dir, 'other.bin');
  writeFileSync(other, 'another file');
  await page.goto('/files/');
  await line(2 * MIB);
  await page.getByLabel('Upload files').setInputFiles(film);
  const here = page.getByRole('list', { name: 'Uploads of this page' });
  const bar = here.getByRole('progressbar');
  const past = (percent: number): Promise<true> =>
    until(`${percent} percent`, async () => Number(await bar.getAttribute('aria-valuenow')) >= percent || undefined);
  await past(5);
  await line(-1, true);
  await here.getByText('Cut off').waitFor();
  const kept = Number(await bar.getAttribute('aria-valuenow'));
  await line(2 * MIB);
  await past(kept + 5);
  await here.getByRole('button', { name: 'Pause film.bin' }).click();
  await here.getByText('Paused').waitFor();

  page.once('dialog', (dialog) => void dialog.accept());
  await page.reload();
  await line(-1);
  const server = page.getByRole('list', { name: 'Uploads on the server' });
  await server.getByText('Not whole').waitFor();
  const rest = page.locator('input[aria-label="Choose film.bin and go on"]');
  await rest.setInputFiles(other);
  await page.getByText('That is another file').waitFor();
  await rest.setInputFiles(film);
  await here.getByText('Uploaded', { exact: true }).waitFor();
  await here.getByText('SHA-256 checked').waitFor();

  await page.goto(`/playground/?session=${user.id}&method=sendMessage`);
  await page.getByRole('region', { name: 'sendMessage' }).waitFor();
  await page.getByLabel(/^Params/).fill(`{"chat_id": ${friend}}`);
  await page.getByRole('button', { name: 'Put in a file…' }).click();
  await page.getByRole('button', { name: 'Use film.bin' }).click();
  await page.getByRole('button', { name: 'Send call' }).click();
  await page.getByRole('list', { name: 'Messages sent' }).getByText('final id').waitFor();

  await page.goto(`/sessions/view/?id=${user.id}&tab=files`);
  await page.getByRole('button', { name: /film\.bin/ }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  const download = await saved;
  expect(download.suggestedFilename()).toBe('film.bin');
  expect(sha256(readFileSync(await download.path()))).toBe(sha256(bytes));
});

it('shows the pictures of a chat, plays a sound by ranges, and opens a file by its remote id', async () => {
  await page.goto(`/sessions/view/?id=${user.id}&tab=files`);
  await page.getByLabel('Where').selectOption({ label: 'Bea' });
  const tile = page.getByRole('list', { name: 'Files' }).getByRole('button', { name: /Photo/ });
  const drawn = (selector: string): Promise<true> =>
    until(`${selector} to be drawn`, () =>
      page
        .locator(selector)
        .first()
        .evaluate((image: HTMLImageElement) => (image.complete && image.naturalWidth > 0) || undefined),
    );
  await tile.waitFor();
  await drawn('ul[aria-label="Files"] img');
  await tile.click();
  await drawn('[role="dialog"] img');
  expect(await seriousViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Copy remote id' }).click();
  const remoteId = await page.evaluate(() => navigator.clipboard.readText());
  await page.keyboard.press('Escape');

  await page.getByRole('radio', { name: 'Documents' }).click();
  const ranges: string[] = [];
  page.on('request', (request) => {
    const { range } = request.headers();
    if (range !== undefined) ranges.push(range);
  });
  await page.getByRole('button', { name: /tone\.wav/ }).click();
  const duration = await until('the sound', () =>
    page.locator('audio').evaluate((audio: HTMLAudioElement) => (audio.readyState > 0 ? audio.duration : undefined)),
  );
  expect(duration).toBe(3);
  expect(ranges).toContain('bytes=0-');
  await page.keyboard.press('Escape');

  await page.getByLabel('File id or remote id').fill(remoteId);
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await drawn('[role="dialog"] img');
});

it('tells what is on the disk and frees it', async () => {
  await page.goto('/files/');
  await page
    .getByRole('region', { name: /^Worker / })
    .getByRole('link', { name: 'ada' })
    .click();
  const card = page.getByRole('region', { name: 'Disk use' });
  await card.getByText('Databases').waitFor();
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await overflow(page)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await card.getByRole('button', { name: 'Free space…' }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove files' }).click();
  await page.getByText(/\d+ files? removed/).waitFor();
});

it('makes a pool, stores a file in it, gives the same bytes back, and deletes them from the chat', async () => {
  const { token, userId } = await product.telegram.createBot('storing_bot');
  await product.api('POST', '/v1/bot', { token, app_id: appId, label: 'storing bot' });
  const channel = await product.telegram.createChannel('Store', [friend, userId]);
  await page.goto('/pools/?new=pool');
  await page.getByLabel('Name').fill('store');
  await page.getByLabel('Chat').fill(String(channel));
  await page.getByRole('checkbox', { name: /storing bot/ }).check();
  await page.getByRole('button', { name: 'Make the pool' }).click();
  await page.getByRole('heading', { name: 'store', level: 1 }).waitFor();
  await page.getByRole('listitem', { name: 'storing bot' }).getByText('Free').waitFor();

  await page.getByRole('link', { name: 'Objects', exact: true }).click();
  await page.getByRole('heading', { name: 'No objects yet' }).waitFor();
  const bytes = randomBytes(2 * MIB);
  const path = join(dir, 'image.tar');
  writeFileSync(path, bytes);
  await page.getByLabel('Upload files').setInputFiles(path);
  const uploads = page.getByRole('list', { name: 'Uploads of this page' });
  await uploads.getByText('Stored', { exact: true }).waitFor();
  await page.getByLabel('Upload files').setInputFiles(path);
  await uploads.getByText('There is one already').waitFor();

  await page.getByRole('button', { name: 'image.tar', exact: true }).click();
  const saved = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect(sha256(readFileSync(await (await saved).path()))).toBe(sha256(bytes));
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions for image.tar' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete object' }).click();
  await page.getByText('Messages that nothing else uses are deleted.').waitFor();

  // What a browser takes for a way up in a path.
  await product.api('PUT', '/v1/pools/store/objects/?key=..', { named: 'so' });
  await page.reload();
  await page.getByRole('button', { name: '..', exact: true }).click();
  await page.getByText('In one message').waitFor();
  const odd = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Download' }).click();
  expect(readFileSync(await (await odd).path()).toString()).toBe('{"named":"so"}');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Actions for ..' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  await page.getByRole('button', { name: 'Delete object' }).click();
  await page.getByRole('heading', { name: 'No objects yet' }).waitFor();
});
