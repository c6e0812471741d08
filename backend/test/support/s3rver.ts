import { mkdtempSync, rmSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

/** An S3 server with one bucket. */
export interface StoreS3 {
  /** Where it listens, on the loopback. */
  readonly endpoint: string;
  /** For STATE_STORE and the like. @param endpoint under which it is reached */
  url(endpoint: string): string;
  /** By the name of the setting, such as STATE_STORE. */
  credentials(setting: string): NodeJS.ProcessEnv;
  /** The names of its objects, and maybe of what belongs to them. */
  keys(): Promise<readonly string[]>;
  stop(): Promise<void>;
}

/** Starts one that is not ours, s3rver, on a port and a folder of its own. */
export async function startOtherS3(): Promise<StoreS3> {
  const directory = mkdtempSync(join(tmpdir(), 'tgcontrol-s3rver-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: 'states' }],
  });
  const { port } = await server.run();
  return {
    endpoint: `http://127.0.0.1:${port}`,
    url: (endpoint) => `s3://states/of-the-test?endpoint=${endpoint}`,
    // Those that s3rver knows.
    credentials: (setting) => ({ [`${setting}_ACCESS_KEY_ID`]: 'S3RVER', [`${setting}_SECRET_ACCESS_KEY`]: 'S3RVER' }),
    keys: () => readdir(directory, { recursive: true }),
    stop: async () => {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
