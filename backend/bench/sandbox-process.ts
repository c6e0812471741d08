import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from '@tgcontrol/sandbox';

// The offline Telegram in a process of its own, so that its work is not counted as the product's. Makes the bots asked for,
// and for the first of them a channel each, with documents of the sizes asked for.
const {
  bots,
  channels = 0,
  documents = [],
} = JSON.parse(process.argv[2] ?? '{}') as {
  readonly bots: number;
  readonly channels?: number;
  readonly documents?: readonly number[];
};
const sandbox = await Sandbox.start({ dir: mkdtempSync(join(tmpdir(), 'tgcontrol-bench-sandbox-')) });
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
process.on('SIGTERM', () => void sandbox.stop().then(() => process.exit(0)));
process.send?.({ env: sandbox.env, tokens, chats, messages });
