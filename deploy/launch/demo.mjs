// npm run demo: the whole product against the sandbox Telegram, with accounts and chats that are already there.
// Everything lives in data/demo and begins anew at each start.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { ensureBuilt } from './lib/build.mjs';
import { answerAs, populate } from './lib/demo-world.mjs';
import { clearFolder, refuseIfTaken } from './lib/fresh.mjs';
import { jsonClient } from './lib/http.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { answering, ended, forwardSignals, stopAll } from './lib/processes.mjs';
import { productUrl, startProduct } from './lib/product.mjs';
import { at, Failure, launch, root, say } from './lib/project.mjs';

const FOLDER = resolve(process.env['DEMO_DIR'] ?? at('data/demo'));
const ENV_FILE = join(FOLDER, 'env');
const CONTROL_PORT = Number(process.env['DEMO_CONTROL_PORT'] ?? 8090);
/** A container has to let the control API out; everybody who reaches it may do anything to the sandbox. */
const CONTROL_HOST = process.env['DEMO_CONTROL_HOST'] ?? '127.0.0.1';
const S3_ADDR = process.env['S3_LISTEN_ADDR'] ?? '127.0.0.1:8091';
/** Where this machine reaches it, also from a container that listens everywhere. */
const S3_URL = `http://127.0.0.1:${S3_ADDR.replace(/^.*:/, '')}`;

await launch(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const url = productUrl(process.env);
  const controlUrl = `http://127.0.0.1:${CONTROL_PORT}`;
  await refuseIfTaken(url, 'LISTEN_ADDR');
  await refuseIfTaken(controlUrl, 'DEMO_CONTROL_PORT');
  await refuseIfTaken(S3_URL, 'S3_LISTEN_ADDR');
  await clearFolder(FOLDER);
  mkdirSync(FOLDER, { recursive: true });

  say('Starting the sandbox Telegram');
  const { Sandbox } = await import('../../backend/sandbox/dist/index.js');
  const sandbox = await Sandbox.start({
    dir: join(FOLDER, 'sandbox'),
    controlPort: CONTROL_PORT,
    controlHost: CONTROL_HOST,
  });
  let stoppedBy;
  const stopForwarding = forwardSignals(
    () => [],
    (signal) => {
      stoppedBy ??= signal;
      void stopAll();
    },
  );
  try {
    const product = await play(sandbox, url, controlUrl);
    await ended(product);
    if (!stoppedBy) throw new Failure('The product has ended by itself.');
  } catch (error) {
    // What breaks because it is being stopped is no failure of the demo.
    if (!stoppedBy) throw error;
  } finally {
    // TDLib goes looking for other servers when its own is gone before it.
    await stopAll();
    await sandbox.stop();
    stopForwarding();
  }
  return 0;
});

/** @returns {Promise<import('node:child_process').ChildProcess>} the product, with everybody logged in */
async function play({ control, env }, url, controlUrl) {
  const world = populate(control);
  say('Starting tgcontrol');
  const token = randomBytes(32).toString('hex');
  const product = startProduct({
    LOG_LEVEL: 'warn',
    ...process.env,
    ...env,
    DATA_DIR: join(FOLDER, 'product'),
    API_TOKEN: token,
    S3_LISTEN_ADDR: S3_ADDR,
  });
  await answering(`${url}/readyz`, product);

  say('Logging a bot and a user in, over the API');
  const api = jsonClient(`${url}/v1`, { authorization: `Bearer ${token}` });
  const apiHash = randomBytes(16).toString('hex');
  const { app_id } = await api.post('/apps', { api_id: 12345, api_hash: apiHash, label: 'Demo' });
  const bot = await api.post('/bot', { app_id, token: world.bot.token, label: 'Demo bot' });
  const user = await logIn(api, control, app_id, world.user);
  await beginLogin(api, app_id, world.newcomer, 'Waits for its code');
  answerAs(world.friend, world.user, control);
  const key = await openStore(api, app_id, world.store);

  const variables = {
    TGCONTROL_URL: url,
    API: `${url}/v1`,
    TOKEN: token,
    BOT: bot.id,
    DEMO_USER: user.id,
    SANDBOX_URL: controlUrl,
    S3_URL,
    AWS_ACCESS_KEY_ID: key.access_key_id,
    AWS_SECRET_ACCESS_KEY: key.secret_access_key,
    AWS_DEFAULT_REGION: 'us-east-1',
  };
  const lines = Object.entries(variables).map(([name, value]) => `export ${name}=${value}\n`);
  writeFileSync(ENV_FILE, lines.join(''), { mode: 0o600 });
  introduce(url, token, controlUrl, world.newcomer.code);
  return product;
}

/** A person's login as a client of the API does it; the code, which Telegram sends, is read from the sandbox. */
async function logIn(api, control, appId, account) {
  const id = await beginLogin(api, appId, account, 'Demo user');
  const asked = await api.post(`/user/${id}/login/code`, { code: control.newestCode(account.phone) });
  if (asked.status === 'awaiting_password')
    await api.post(`/user/${id}/login/password`, { password: account.password });
  return { id };
}

/** @returns {Promise<object>} an access key of S3 to a pool of its own */
async function openStore(api, appId, { tokens, chatId }) {
  const bots = [];
  for (const token of tokens) bots.push(await api.post('/bot', { app_id: appId, token, label: 'Demo store' }));
  const pool = await api.post('/pools', { name: 'demo-store', chat_id: chatId, session_ids: bots.map(({ id }) => id) });
  const token = await api.post('/tokens', { name: 'Demo store', pool_ids: [pool.id], pool_access: 'write' });
  return api.post(`/tokens/${token.id}/s3-keys`, {});
}

async function beginLogin(api, appId, { phone }, label) {
  const { id, status } = await api.post('/user', { app_id: appId, phone, label });
  if (status !== 'awaiting_code') throw new Failure(`The login of ${phone} is ${status} instead of awaiting_code.`);
  return id;
}

function introduce(url, token, controlUrl, waitingCode) {
  const examples = /## Try it, offline([\s\S]*?)\n## /.exec(readFileSync(at('README.md'), 'utf8'))?.[1] ?? '';
  const blocks = [...examples.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, block]) => block);
  console.log(`
  Console        ${url}/
  API token      ${token}
  API reference  ${url}/docs
  Sandbox        ${controlUrl} (its control API)
  S3             ${S3_URL} (bucket demo-store)
  Variables      ${relative(root, ENV_FILE)}

One more login waits in the console for its code, which is ${waitingCode} and good for five minutes.

In another terminal, in this folder:

${blocks
  .filter((block) => block.includes('curl'))
  .join('\n')
  .trimEnd()}

Ctrl-C ends it.`);
}
