import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { extract, pack } from 'tar-stream';
import { AppError } from '../../common/errors/index.js';

/** Of a folder with as many files nothing of TDLib's is known. */
const MAX_FILES = 100;
const FILE_NAME = /^[A-Za-z0-9_][A-Za-z0-9._-]{0,99}$/;

/** A snapshot that is authentic, and yet not one of a session's database. */
export class SnapshotDamagedError extends AppError {
  readonly code = 'state_damaged';
  readonly status = 503;
}

/** A tar archive of the files of a folder. */
export async function* packFolder(dir: string): AsyncGenerator<Uint8Array> {
  const archive = pack();
  const filling = fill(archive, dir).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  yield* archive as AsyncIterable<Uint8Array>;
  await filling;
}

async function fill(archive: ReturnType<typeof pack>, dir: string): Promise<void> {
  for (const name of (await readdir(dir)).sort()) {
    const path = join(dir, name);
    const { size } = await stat(path);
    const entry = archive.entry({ name, size, mode: 0o600 });
    await pipeline(createReadStream(path), entry);
  }
}

/**
 * Puts the files of an archive in the place of a folder: that has its former content until all of them are there.
 * @throws SnapshotDamagedError; and whatever reading the archive throws
 */
export async function unpackFolder(archive: AsyncIterable<Uint8Array>, dir: string): Promise<void> {
  const half = `${dir}.new`;
  await rm(half, { recursive: true, force: true });
  await mkdir(half, { recursive: true, mode: 0o700 });
  const files = extract();
  // Its failure, a stream that does not open, is what the files below fail with.
  const reading = pipeline(Readable.from(archive), files);
  reading.catch(() => undefined);
  let count = 0;
  for await (const entry of files) {
    const { name, type } = entry.header;
    if (type !== 'file' || !FILE_NAME.test(name) || ++count > MAX_FILES) {
      throw new SnapshotDamagedError(`the snapshot has an entry that is no file of a database: ${name}`);
    }
    await pipeline(entry, createWriteStream(join(half, name), { mode: 0o600, flush: true }));
  }
  await reading;
  if (count === 0) throw new SnapshotDamagedError('the snapshot is empty');
  await rm(dir, { recursive: true, force: true });
  await rename(half, dir);
}
