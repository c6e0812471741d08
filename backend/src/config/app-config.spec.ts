import { AppConfig, VARIABLES } from './app-config.js';
import { ConfigError } from './config-error.js';

const KEY = Buffer.alloc(32, 5).toString('base64');
const GATEWAY = {
  ROLE: 'gateway',
  API_TOKEN: 'api-token',
  CLUSTER_TOKEN: 'cluster-token',
  DATABASE_URL: 'postgres://h/d',
};
const WORKER = { ROLE: 'worker', MASTER_KEY: KEY, CLUSTER_TOKEN: 'cluster-token', DATABASE_URL: 'postgres://h/d' };

function mistakesOf(env: NodeJS.ProcessEnv): readonly string[] {
  try {
    AppConfig.fromEnv(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.mistakes;
    throw error;
  }
  return [];
}

describe('AppConfig', () => {
  it('needs nothing at all for ROLE=all', () => {
    const config = AppConfig.fromEnv({});
    expect(config).toMatchObject({
      role: 'all',
      listen: { host: '127.0.0.1', port: 8080 },
      databaseUrl: undefined,
      secrets: {},
      worker: { capacity: 200, advertise: 'http://127.0.0.1:8080', heartbeatMs: 1000, leaseMs: 5000 },
      telegram: { testDc: false, proxyOnly: 'auto', defaultProxy: undefined, libraryPath: undefined },
      uploads: { ttlMs: 7_200_000, maxSingleShotBytes: 67_108_864, maxChunkBytes: 16_777_216, maxBytes: 2_147_483_648 },
    });
    expect(config.dataDir).toMatch(/^\/.*\/data$/);
    expect(config.uploads.dir).toBe(`${config.dataDir}/uploads`);
    expect(config.worker.id).toMatch(/-8080$/);
  });

  it('listens everywhere in a split role', () => {
    expect(AppConfig.fromEnv(GATEWAY).listen).toEqual({ host: '0.0.0.0', port: 8080 });
  });

  it('names every mistake at once, and no secret', () => {
    const mistakes = mistakesOf({
      ROLE: 'all',
      MASTER_KEY: 'abcdef',
      API_TOKEN: 'two words',
      LISTEN_ADDR: '8080',
      WORKER_CAPACITY: 'many',
      UPLOAD_TTL: '2 hours',
      MAX_CHUNK_BYTES: '16 MB',
      DEFAULT_PROXY: 'proxy:1080',
      DATABASE_URL: 'mysql://h/d',
      TELEGRAM_TEST_DC: 'yes',
      TRUSTED_PROXIES: 'localhost',
    });
    expect(mistakes).toHaveLength(10);
    expect(mistakes.join()).not.toMatch(/abcdef|two words/);
  });

  it.each([
    ['gateway', ['API_TOKEN', 'CLUSTER_TOKEN', 'DATABASE_URL']],
    ['worker', ['MASTER_KEY', 'CLUSTER_TOKEN', 'DATABASE_URL']],
  ])('refuses a %s without what it needs', (ROLE, names) => {
    const mistakes = mistakesOf({ ROLE });
    expect(mistakes).toHaveLength(names.length);
    for (const name of names) expect(mistakes.join()).toContain(name);
  });

  it('tells a role that does not exist together with the other mistakes', () => {
    const mistakes = mistakesOf({ ROLE: 'foo', LISTEN_ADDR: '8080' });
    expect(mistakes).toHaveLength(2);
    expect(mistakes.join()).toContain('ROLE must be');
  });

  it.each(['changeme', 'change-me-please', 'your-token-here', 'example-token', 'password'])(
    'refuses the example value %s as a secret',
    (API_TOKEN) => {
      expect(mistakesOf({ ...GATEWAY, API_TOKEN }).join()).toContain('API_TOKEN is a value from the documentation');
    },
  );

  it('refuses a key that everybody knows', () => {
    for (const key of [Buffer.alloc(32), Buffer.from('0123456789abcdef0123456789abcdef')]) {
      expect(mistakesOf({ ...WORKER, MASTER_KEY: key.toString('base64') })).toHaveLength(1);
    }
  });

  it('never gives a role the secrets of the other, and says that it ignores them', () => {
    const gateway = AppConfig.fromEnv({ ...GATEWAY, MASTER_KEY: KEY });
    expect(gateway.secrets.masterKey).toBeUndefined();
    expect(gateway.warnings).toEqual(['MASTER_KEY is ignored with ROLE=gateway']);
    const worker = AppConfig.fromEnv({ ...WORKER, API_TOKEN: 'api-token' });
    expect(worker.secrets.apiToken).toBeUndefined();
    expect(worker.warnings).toEqual(['API_TOKEN is ignored with ROLE=worker']);
  });

  it('takes an empty variable for an absent one', () => {
    expect(AppConfig.fromEnv({ ROLE: '', DATABASE_URL: ' ', LISTEN_ADDR: '' }).role).toBe('all');
  });

  it('advertises an address that others can reach', () => {
    const at = (env: NodeJS.ProcessEnv): string => AppConfig.fromEnv({ ...WORKER, ...env }).worker.advertise;
    expect(at({ LISTEN_ADDR: '127.0.0.1:9000' })).toBe('http://127.0.0.1:9000');
    expect(at({ LISTEN_ADDR: '[::1]:9000' })).toBe('http://[::1]:9000');
    expect(at({ LISTEN_ADDR: ':9000' })).toMatch(/^http:\/\/[^/]+:9000$/);
    expect(at({ LISTEN_ADDR: ':9000' })).not.toContain('0.0.0.0');
    expect(at({ WORKER_ADVERTISE: 'http://worker-1:8080/' })).toBe('http://worker-1:8080');
  });

  it('cannot be changed', () => {
    const config = AppConfig.fromEnv({});
    expect(() => {
      (config as { role: string }).role = 'worker';
    }).toThrow(TypeError);
    expect(config.with({ databaseUrl: 'postgres://h/d' })).toMatchObject({
      role: 'all',
      databaseUrl: 'postgres://h/d',
    });
    expect(config.with({ databaseUrl: 'postgres://h/d' }).isWorker).toBe(true);
    expect(config.databaseUrl).toBeUndefined();
  });

  it('knows the names of its variables', () => {
    expect(VARIABLES).toEqual(expect.arrayContaining(['ROLE', 'DATABASE_URL', 'TDLIB_PATH', 'LOG_LEVEL']));
    expect(new Set(VARIABLES).size).toBe(VARIABLES.length);
  });
});
