import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { at } from '../launch/lib/project.mjs';
import { freePort, startProgram, temporaryFolder, until } from './support/servers.mjs';

/** The blocks of README's first section that are run in the second terminal, as they stand there. */
function examples() {
  const section = /## Try it, offline([\s\S]*?)\n## /.exec(readFileSync(at('README.md'), 'utf8'))?.[1] ?? '';
  return [...section.matchAll(/```sh\n([\s\S]*?)```/g)]
    .map(([, block]) => block)
    .filter((block) => block.includes('curl'));
}

describe('npm run demo', () => {
  const { folder, remove } = temporaryFolder();
  let demo;
  let ports;

  before(async () => {
    ports = [await freePort(), await freePort(), await freePort()];
    demo = startProgram(process.execPath, [at('deploy/launch/demo.mjs')], {
      DEMO_DIR: folder,
      DEMO_CONTROL_PORT: String(ports[1]),
      LISTEN_ADDR: `127.0.0.1:${ports[0]}`,
      S3_LISTEN_ADDR: `127.0.0.1:${ports[2]}`,
    });
    await until(async () => demo.output().includes('Ctrl-C ends it'), demo, 120_000);
  });

  after(async () => {
    await demo?.stop('SIGKILL');
    remove();
  });

  it('prints the examples of the README, and they work as printed', async () => {
    const blocks = examples();
    assert.equal(blocks.length, 5);
    for (const block of blocks) assert.ok(demo.output().includes(block.trimEnd()));

    const script = blocks.join('\n').replaceAll('curl -s', "curl -s -w '\\n'").replace('data/demo', folder);
    const { stdout } = await promisify(execFile)('bash', ['-euc', script]);
    const lines = stdout
      .trim()
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
    const newBot = lines.at(-1);
    assert.match(newBot.result.token, /^\d+:/);
    const answers = lines.slice(0, -1);
    assert.deepEqual(
      answers.map(({ ok }) => ok),
      [true, true, true, true, true, true],
    );
    const [me, posted, seen, , replies, stored] = answers.map(({ result }) => result);
    assert.equal(me.usernames.editable_username, 'demo_bot');
    assert.equal(posted.content.text.text, 'Hello');
    assert.equal(seen.messages[0].content.text.text, 'Hello');
    assert.equal(replies.messages[0].content.text.text, 'Yes, I am here.');
    assert.equal(stored.objects[0].key, 'README.md');
    assert.equal(stored.objects[0].size, statSync(at('README.md')).size);
  });

  it('lets nobody else read the token', async () => {
    const { stdout } = await promisify(execFile)('stat', ['-c', '%a', join(folder, 'env')]);
    assert.equal(stdout.trim(), '600');
  });

  it('refuses a second one on the same address and leaves the first alone', async () => {
    const second = startProgram(process.execPath, [at('deploy/launch/demo.mjs')], {
      DEMO_DIR: folder,
      DEMO_CONTROL_PORT: String(ports[1]),
      LISTEN_ADDR: `127.0.0.1:${ports[0]}`,
    });
    assert.equal((await second.end).code, 1);
    assert.match(second.output(), /is taken.*LISTEN_ADDR/);
    assert.equal((await fetch(`http://127.0.0.1:${ports[0]}/healthz`)).status, 200);
  });

  it('says which setting moves the control API when its port is taken', async () => {
    const second = startProgram(process.execPath, [at('deploy/launch/demo.mjs')], {
      DEMO_DIR: folder,
      DEMO_CONTROL_PORT: String(ports[1]),
      LISTEN_ADDR: `127.0.0.1:${await freePort()}`,
    });
    assert.equal((await second.end).code, 1);
    assert.match(second.output(), new RegExp(`:${ports[1]} is taken.*DEMO_CONTROL_PORT`));
  });

  it('ends product and sandbox at Ctrl-C', async () => {
    assert.deepEqual(await demo.stop('SIGINT'), { code: 0, signal: null });
    for (const port of ports) await assert.rejects(fetch(`http://127.0.0.1:${port}/`));
  });
});
