import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

/** An S3 server that is not ours, with one bucket. */
export interface OtherS3 {
  /** For STATE_STORE and the like. */
  readonly url: string;
  /** By the name of the setting, such as STATE_STORE. */
  credentials(setting: string): NodeJS.ProcessEnv;
  /** The names of the files in which it has its objects. */
  keys(): readonly string[];
  stop(): Promise<void>;
}

/** Starts s3rver on a port and a folder of its own. */
export async function startOtherS3(): Promise<OtherS3> {
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
    url: `s3://states/of-the-test?endpoint=http://127.0.0.1:${port}`,
    // Those that s3rver knows.
    credentials: (setting) => ({ [`${setting}_ACCESS_KEY_ID`]: 'S3RVER', [`${setting}_SECRET_ACCESS_KEY`]: 'S3RVER' }),
    keys: () => readdirSync(directory, { recursive: true, encoding: 'utf8' }),
    stop: async () => {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
