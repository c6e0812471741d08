import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from './config-error.js';
import { obtainSecrets, secretsPath } from './secrets-file.js';

describe('the generated secrets', () => {
  let dir: string;

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tgcontrol-secrets-'));
  });

  afterEach(() => rmSync(dir, { recursive: true }));

  it('are made once, readable by their owner alone, and stay the same', () => {
    const first = obtainSecrets(dir);
    expect(first.isNew).toBe(true);
    expect(first.secrets.masterKey).toHaveLength(32);
    expect(statSync(secretsPath(dir)).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['secrets.json']);
    expect(obtainSecrets(dir)).toEqual({ secrets: first.secrets, isNew: false });
  });

  it('differ between directories', () => {
    const other = mkdtempSync(join(tmpdir(), 'tgcontrol-secrets-'));
    expect(obtainSecrets(other).secrets.apiToken).not.toBe(obtainSecrets(dir).secrets.apiToken);
    rmSync(other, { recursive: true });
  });

  it.each(['', '{', '{}', '{"api_token":"a","cluster_token":"b","master_key":"c","postgres_password":"d"}'])(
    'are never replaced when their file is damaged: %s',
    (text) => {
      writeFileSync(secretsPath(dir), text);
      expect(() => obtainSecrets(dir)).toThrow(ConfigError);
      expect(statSync(secretsPath(dir)).size).toBe(text.length);
    },
  );
});
