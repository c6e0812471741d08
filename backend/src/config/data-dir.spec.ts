import type * as Fs from 'node:fs';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigError } from './config-error.js';
import { lockDataDir, prepareDataDir } from './data-dir.js';

describe('lockDataDir', () => {
  let dir: string;

  beforeEach(() => {
    dir = join(mkdtempSync(join(tmpdir(), 'tgcontrol-lock-')), 'data');
    prepareDataDir(dir);
  });

  afterEach(() => rmSync(join(dir, '..'), { recursive: true }));

  const pidFile = (): string => join(dir, 'tgcontrol.pid');

  it('notes this process and forgets it again', () => {
    const lock = lockDataDir(dir);
    expect(readFileSync(pidFile(), 'utf8')).toMatch(new RegExp(`^${process.pid}\\b`));
    lock.release();
    expect(existsSync(pidFile())).toBe(false);
  });

  it('refuses a directory that a living process holds', () => {
    const parent =
      readFileSync(`/proc/${process.ppid}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')[19] ?? '';
    writeFileSync(pidFile(), `${process.ppid} ${parent}`);
    expect(() => lockDataDir(dir)).toThrow(ConfigError);
    expect(() => lockDataDir(dir)).toThrow(`used by the running process ${process.ppid}`);
  });

  it.each([
    ['a process that is gone', '999999 1'],
    ['another process that has its number now', `${process.ppid} 1`],
    ['nobody', ''],
  ])('takes over what %s left behind', (_who, text) => {
    writeFileSync(pidFile(), text);
    lockDataDir(dir).release();
  });

  it('makes every directory on the way', () => {
    prepareDataDir(join(dir, 'a', 'b'));
    lockDataDir(join(dir, 'a', 'b')).release();
  });

  it('takes a directory that another process, started at the same time, makes first', () => {
    const fs = jest.requireActual<typeof Fs>('node:fs');
    const { mkdirSync } = fs;
    const made = jest.spyOn(fs, 'mkdirSync').mockImplementationOnce((path, options) => {
      mkdirSync(path, options);
      return mkdirSync(path, options);
    });
    prepareDataDir(join(dir, 'both'));
    expect(made).toHaveBeenCalledTimes(1);
    made.mockRestore();
  });

  it('refuses at once where the file system makes no directories', () => {
    expect(() => prepareDataDir('/proc/x/y')).toThrow(ConfigError);
  });

  it('leaves nothing behind of its look whether files can be renamed', () => {
    prepareDataDir(dir);
    expect(readdirSync(dir)).toEqual([]);
  });

  it('says that a directory cannot be written', () => {
    writeFileSync(join(dir, 'file'), '');
    expect(() => prepareDataDir(join(dir, 'file', 'data'))).toThrow(/is not writable/);
    expect(() => lockDataDir(join(dir, 'absent'))).toThrow(/is not writable/);
  });
});
