import { open, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

// What uploads are compared with: the barest Node server that takes a body to the disk for good. Nothing stays there.
const { directory, port } = JSON.parse(process.argv[2] ?? '{}') as {
  readonly directory: string;
  readonly port: number;
};
let number = 0;

async function take(body: NodeJS.ReadableStream): Promise<string> {
  number += 1;
  const path = join(directory, String(number));
  const file = await open(path, 'wx');
  await pipeline(body, file.createWriteStream({ flush: true }));
  return path;
}

const server = createServer((request, response) => {
  take(request).then(
    (path) => {
      response.end();
      void rm(path);
    },
    (error: unknown) => response.destroy(error instanceof Error ? error : undefined),
  );
});
server.listen(port, '127.0.0.1', () => process.send?.({}));
process.on('SIGTERM', () => process.exit(0));
