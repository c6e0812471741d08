import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { answering, startNode } from '../launch/lib/processes.mjs';
import { at } from '../launch/lib/project.mjs';
import { freePort, startProgram, temporaryFolder, until } from './support/servers.mjs';

const launcher = (name) => at('deploy/launch', `${name}.mjs`);

describe('npm start', () => {
  const { folder, remove } = temporaryFolder();
  let url;
  let start;

  before(async () => {
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    start = startProgram(process.execPath, [launcher('start')], { DATA_DIR: folder, LISTEN_ADDR: `127.0.0.1:${port}` });
    await until(async () => start.output().includes('Ctrl-C'), start, 180_000);
  });

  after(async () => {
    await start?.stop('SIGKILL');
    remove();
  });

  it('says where the product answers and where the token is', async () => {
    assert.ok(start.output().includes(url));
    const file = /API token: in (\S+)/.exec(start.output())?.[1];
    assert.equal(statSync(file).mode & 0o777, 0o600);
    const token = /"?(?:api_?token)"?\s*[:=]\s*"?([\w-]+)/i.exec(readFileSync(file, 'utf8'))?.[1];
    const response = await fetch(`${url}/v1/sessions`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(response.status, 200);
  });

  it('serves the console and the API reference', async () => {
    for (const path of ['/', '/docs']) {
      const response = await fetch(`${url}${path}`);
      assert.equal(response.status, 200, path);
      assert.match(response.headers.get('content-type'), /text\/html/, path);
    }
  });

  it('refuses a port that another process holds, and does not take that one for its own', async () => {
    const other = temporaryFolder();
    const address = new URL(url).host;
    const second = startProgram(process.execPath, [launcher('start')], {
      DATA_DIR: other.folder,
      LISTEN_ADDR: address,
    });
    assert.equal((await second.end).code, 1);
    assert.ok(second.output().includes(`${address} is taken`), second.output());
    assert.ok(!second.output().includes('answers at'), second.output());
    other.remove();
  });

  it('waits for the word of the process that it has started, whoever answers on the port', async () => {
    const started = (code) =>
      startNode(['-e', code], { env: process.env, stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
    await assert.rejects(answering(`${url}/healthz`, started('setTimeout(() => {}, 300)')), /has ended/);
    const speaking = started('process.send("answers"); setInterval(() => {}, 1000)');
    await answering(`${url}/healthz`, speaking);
    speaking.kill();
  });

  it('ends everything it started at SIGTERM, with the exit code of the product', async () => {
    assert.deepEqual(await start.stop('SIGTERM'), { code: 0, signal: null });
    await assert.rejects(fetch(`${url}/healthz`));
    assert.throws(() => readFileSync(`${folder}/postgres/data/postmaster.pid`));
  });
});

describe('npm run serve', () => {
  it('names every missing setting of a split role at once and starts nothing', async () => {
    const serve = startProgram(process.execPath, [launcher('serve')], {
      ROLE: 'worker',
      API_TOKEN: '',
      LISTEN_ADDR: 'nonsense',
    });
    const { code } = await serve.end;
    assert.notEqual(code, 0);
    for (const name of ['MASTER_KEY', 'CLUSTER_TOKEN', 'DATABASE_URL', 'LISTEN_ADDR']) {
      assert.ok(serve.output().includes(name), `${name} in: ${serve.output()}`);
    }
  });
});

describe('npm run smoke', () => {
  it('loads TDLib and parses a text without network', async () => {
    const smoke = startProgram(process.execPath, [launcher('smoke')], {});
    assert.deepEqual(await smoke.end, { code: 0, signal: null });
    assert.match(smoke.output(), /textEntityTypeMention/);
  });
});

describe('npm test', () => {
  it('refuses a suite that does not exist, naming those that do', async () => {
    const test = startProgram(process.execPath, [launcher('test'), 'no-such-suite'], {});
    assert.equal((await test.end).code, 1);
    assert.match(test.output(), /unit.*e2e.*browser/);
  });
});
