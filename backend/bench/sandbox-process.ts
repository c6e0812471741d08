import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from '@tgcontrol/sandbox';

// The offline Telegram in a process of its own, so that its work is not counted as the product's. Makes the bots asked for.
const { bots } = JSON.parse(process.argv[2] ?? '{}') as { readonly bots: number };
const sandbox = await Sandbox.start({ dir: mkdtempSync(join(tmpdir(), 'tgcontrol-bench-sandbox-')) });
const tokens: string[] = [];
for (let number = 0; number < bots; number += 1) {
  tokens.push(sandbox.control.createBot({ username: `bench_${number}_bot` }).token);
}
process.on('SIGTERM', () => void sandbox.stop().then(() => process.exit(0)));
process.send?.({ env: sandbox.env, tokens });
