import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from '@tgcontrol/sandbox';

// The offline Telegram in a process of its own, so that its work is not counted as the product's. Makes the bots asked for,
// and for the first of them a channel each.
const { bots, channels = 0 } = JSON.parse(process.argv[2] ?? '{}') as {
  readonly bots: number;
  readonly channels?: number;
};
const sandbox = await Sandbox.start({ dir: mkdtempSync(join(tmpdir(), 'tgcontrol-bench-sandbox-')) });
const tokens: string[] = [];
const chats: number[] = [];
for (let number = 0; number < bots; number += 1) {
  const { token, userId } = sandbox.control.createBot({ username: `bench_${number}_bot` });
  tokens.push(token);
  if (number < channels) {
    chats.push(sandbox.control.createChat({ type: 'channel', title: `Bench ${number}`, admins: [userId] }).chatId);
  }
}
process.on('SIGTERM', () => void sandbox.stop().then(() => process.exit(0)));
process.send?.({ env: sandbox.env, tokens, chats });
