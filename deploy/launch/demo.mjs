// npm run demo: the whole product against the sandbox Telegram, with accounts and chats that are already there.
// Everything lives in data/demo and begins anew at each start.
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parseEnv } from 'node:util';
import { ensureBuilt } from './lib/build.mjs';
import { answerAs, populate } from './lib/demo-world.mjs';
import { clearFolder, refuseIfTaken } from './lib/fresh.mjs';
import { jsonClient } from './lib/http.mjs';
import { ensureInstalled } from './lib/install.mjs';
import { answering, ended, forwardSignals, startNode, stopAll } from './lib/processes.mjs';
import { productUrl, startProduct } from './lib/product.mjs';
import { at, Failure, launch, root, say } from './lib/project.mjs';

const FOLDER = at('data/demo');
const ENV_FILE = at('data/demo/env');
const CONTROL_PORT = '8090';
/** A container has to let the control API out; everybody who reaches it may do anything to the sandbox. */
const CONTROL_HOST = process.env['SANDBOX_CONTROL_HOST'] ?? '127.0.0.1';

await launch(async () => {
  await ensureInstalled();
  await ensureBuilt();
  const url = productUrl(process.env);
  const controlUrl = `http://127.0.0.1:${CONTROL_PORT}`;
  for (const address of [url, controlUrl]) await refuseIfTaken(address);
  await clearFolder(FOLDER);
  mkdirSync(FOLDER, { recursive: true });

  let stoppedBy;
  const stopForwarding = forwardSignals(
    () => [],
    (signal) => {
      stoppedBy ??= signal;
      void stopAll();
    },
  );
  try {
    const server = await play(url, controlUrl);
    await ended(server);
    if (!stoppedBy) throw new Failure('The product has ended by itself.');
  } catch (error) {
    // What breaks because it is being stopped is no failure of the demo.
    if (!stoppedBy) throw error;
  } finally {
    await stopAll();
    stopForwarding();
  }
  return 0;
});

async function play(url, controlUrl) {
  say('Starting the sandbox Telegram');
  const sandboxFolder = at('data/demo/sandbox');
  const sandbox = startNode(
    [
      '--enable-source-maps',
      at('backend/sandbox/dist/main.js'),
      '--dir',
      sandboxFolder,
      '--control-port',
      CONTROL_PORT,
      '--control-host',
      CONTROL_HOST,
    ],
    { env: process.env, stdio: ['ignore', 'ignore', 'inherit'] },
  );
  await answering(`${controlUrl}/stats`, sandbox);
  const control = jsonClient(controlUrl);
  const world = await populate(control);

  say('Starting tgcontrol');
  const token = randomBytes(32).toString('hex');
  const product = startProduct({
    ...process.env,
    ...parseEnv(readFileSync(`${sandboxFolder}/env`, 'utf8')),
    DATA_DIR: at('data/demo/product'),
    API_TOKEN: token,
    LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'warn',
  });
  await answering(`${url}/healthz`, product);

  say('Logging a bot and a user in, over the API');
  const api = jsonClient(`${url}/v1`, { authorization: `Bearer ${token}` });
  const { app_id } = await api.post('/apps', {
    api_id: 12345,
    api_hash: randomBytes(16).toString('hex'),
    label: 'Demo',
  });
  const bot = await api.post('/bot', { app_id, token: world.bot.token, label: 'Demo bot' });
  const user = await logIn(api, control, app_id, world.user);
  answerAs(world.friend, world.user, control);

  const variables = {
    TGCONTROL_URL: url,
    TOKEN: token,
    BOT: bot.id,
    DEMO_USER: user.id,
    SANDBOX_URL: controlUrl,
  };
  writeFileSync(
    ENV_FILE,
    Object.entries(variables)
      .map(([name, value]) => `export ${name}=${value}\n`)
      .join(''),
    {
      mode: 0o600,
    },
  );
  introduce(url, token, controlUrl);
  return product;
}

/** The login of a person, as a client of the API would do it; the code is read from the sandbox instead of a phone. */
async function logIn(api, control, appId, account) {
  const started = await api.post('/user', { app_id: appId, phone: account.phone, label: 'Demo user' });
  const code = await control.until(`/accounts/${encodeURIComponent(account.phone)}/codes`, (codes) =>
    newestCode(codes),
  );
  const asked = await api.post(`/user/${started.id}/login/code`, { code });
  if (asked.status === 'awaiting_password')
    await api.post(`/user/${started.id}/login/password`, { password: account.password });
  return started;
}

function newestCode(codes) {
  const newest = codes[0];
  return typeof newest === 'string' ? newest : newest?.code;
}

function introduce(url, token, controlUrl) {
  const readme = readFileSync(at('README.md'), 'utf8');
  const examples = /## Try it, offline([\s\S]*?)\n## /.exec(readme)?.[1] ?? '';
  const lines = [...examples.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, block]) => block)
    .filter((block) => block.includes('curl'));
  console.log(`
  Console        ${url}/
  API token      ${token}
  API reference  ${url}/docs
  Sandbox        ${controlUrl} (its control API)
  Variables      ${relative(root, ENV_FILE)}

In another terminal, in this folder:

${lines.join('\n').trimEnd()}

Ctrl-C ends it.`);
}
