import { createRequire } from 'node:module';
import * as tdl from 'tdl';
import { getTdjson } from 'prebuilt-tdlib';

// One way of talking to TDLib, measured by itself: a process can load the library only once.
const { way, result } = JSON.parse(process.argv[2] ?? '{}') as {
  readonly way: 'client' | 'addon';
  readonly result: 'small' | 'large';
};

interface TdNew {
  init(timeoutSeconds: number): void;
  createClientId(): number;
  send(clientId: number, request: string): void;
  receive(): Promise<string | null>;
  execute(request: string): string;
}

const CONCURRENT = 50;
const CALLS = result === 'small' ? 30_000 : 6_000;
/** 200 entities make an answer of about 25 KiB, as a page of a chat's history is. */
const TEXT =
  result === 'small' ? 'hi' : Array.from({ length: 100 }, (_, n) => `@user${n}name https://example.org/${n}`).join(' ');

/** Each gives the answer as the text that an HTTP server would send. */
function throughClient(): () => Promise<string> {
  tdl.configure({ tdjson: getTdjson(), verbosityLevel: 1 });
  const client = tdl.createBareClient();
  return async () => JSON.stringify(await client.invoke({ _: 'getTextEntities', text: TEXT }));
}

function throughAddon(): () => Promise<string> {
  const { loadAddon } = createRequire(import.meta.url)('tdl/dist/addon.js') as {
    loadAddon: (path: string) => { tdnew: TdNew };
  };
  const { tdnew } = loadAddon(getTdjson());
  tdnew.execute('{"@type":"setLogVerbosityLevel","new_verbosity_level":1}');
  tdnew.init(10);
  const id = tdnew.createClientId();
  const pending = new Map<number, (answer: string) => void>();
  const receive = async (): Promise<never> => {
    for (;;) {
      const message = await tdnew.receive();
      const found = message === null ? null : /,"@extra":(\d+),"@client_id":\d+\}$/.exec(message.slice(-60));
      if (message !== null && found !== null) {
        const extra = Number(found[1]);
        pending.get(extra)?.(`${message.slice(0, message.length - found[0].length)}}`);
        pending.delete(extra);
      }
    }
  };
  void receive();
  let extra = 0;
  return () =>
    new Promise((resolve) => {
      extra += 1;
      pending.set(extra, resolve);
      const query = JSON.stringify({ '@type': 'getTextEntities', text: TEXT });
      tdnew.send(id, `{"@extra":${extra},${query.slice(1)}`);
    });
}

const call = way === 'client' ? throughClient() : throughAddon();

async function run(calls: number): Promise<void> {
  let left = calls;
  const work = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await call();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT }, work));
}

await run(CALLS / 10);
const cpu = process.cpuUsage();
const began = performance.now();
await run(CALLS);
const seconds = (performance.now() - began) / 1_000;
const { user, system } = process.cpuUsage(cpu);
process.send?.({ callsPerSecond: CALLS / seconds, cpuMicrosecondsPerCall: (user + system) / CALLS }, () => {
  // TDLib's threads crash a process that ends regularly while a client is open, and this one needs no clean end.
  process.kill(process.pid, 'SIGKILL');
});
