import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from '@tgcontrol/sandbox';

// The offline Telegram in a process of its own, so that its work is not counted as the product's. Makes the bots asked for,
// and for the first of them a channel each, with documents of the sizes asked for.
const {
  bots,
  users = 0,
  channels = 0,
  documents = [],
  kbit,
} = JSON.parse(process.argv[2] ?? '{}') as {
  readonly bots: number;
  /** Accounts that log in with {@link CODE}. */
  readonly users?: number;
  readonly channels?: number;
  readonly documents?: readonly number[];
  /** Gives each bot a proxy of its own, as slow as that, and all bots one more channel. */
  readonly kbit?: number;
};
const sandbox = await Sandbox.start({ dir: mkdtempSync(join(tmpdir(), 'tgcontrol-bench-sandbox-')) });
const CODE = '11111';
const phones = Array.from({ length: users }, (_, number) => `1555100${String(number).padStart(4, '0')}`);
for (const phone of phones) {
  sandbox.control.createAccount({ phone, firstName: 'U', code: CODE });
}
const tokens: string[] = [];
const chats: number[] = [];
const messages: number[][] = [];
for (let number = 0; number < bots; number += 1) {
  const { token, userId } = sandbox.control.createBot({ username: `bench_${number}_bot` });
  tokens.push(token);
  if (number < channels) {
    const { chatId } = sandbox.control.createChat({ type: 'channel', title: `Bench ${number}`, admins: [userId] });
    chats.push(chatId);
    const posted: number[] = [];
    for (const [index, size] of documents.entries()) {
      // TDLib would take a file of the same name and size that it has.
      const name = `${index}.bin`;
      posted.push((await sandbox.control.sendMessage({ chatId, document: { size, name } })).messageId);
    }
    messages.push(posted);
  }
}
const proxies: number[] = [];
let store = 0;
if (kbit !== undefined) {
  const owner = sandbox.control.createAccount({ phone: '15550003', firstName: 'O' }).userId;
  const admins = [owner, ...tokens.map((token) => Number(token.split(':')[0]))];
  store = sandbox.control.createChat({ type: 'channel', title: 'Store', admins }).chatId;
  for (const _ of tokens) proxies.push((await sandbox.control.addProxy({ behaviour: 'slow', kbit })).port);
}
/** Messages to a bot from somebody, so many a second; each says when it was pushed. Tells how long it took. */
interface Push {
  readonly token: string;
  readonly count: number;
  readonly perSecond: number;
  /** Whether they come from somebody else than all the others. */
  readonly isRare?: boolean;
}

const friend = sandbox.control.createAccount({ phone: '15550001', firstName: 'F' }).userId;

const rare = sandbox.control.createAccount({ phone: '15550002', firstName: 'R' }).userId;

async function push({ token, count, perSecond, isRare }: Push): Promise<number> {
  const chatId = Number(token.split(':')[0]);
  const began = performance.now();
  for (let number = 0; number < count; number += 1) {
    const wait = began + (number / perSecond) * 1_000 - performance.now();
    if (wait > 1) {
      await new Promise((resolve) => setTimeout(resolve, wait));
    }
    await sandbox.control.sendMessage({ chatId, from: isRare === true ? rare : friend, text: `pushed ${Date.now()}` });
  }
  return performance.now() - began;
}

process.on('message', (message) => {
  void push(message as Push).then((ms) => process.send?.({ ms }));
});
process.on('SIGTERM', () => void sandbox.stop().then(() => process.exit(0)));
process.send?.({ env: sandbox.env, tokens, chats, messages, rare, phones, code: CODE, proxies, store });
