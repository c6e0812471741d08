import { ConfigError } from './config-error.js';
import { requireOpenFiles } from './open-files.js';

describe('the files that a worker may have open', () => {
  it('are enough for its sessions, or it says how to get more and how many sessions would do', () => {
    expect(() => requireOpenFiles(200, 2_256)).not.toThrow();
    const start = (): void => requireOpenFiles(200, 1_024);
    expect(start).toThrow(ConfigError);
    expect(start).toThrow(/may have 1024 files open, and WORKER_CAPACITY=200 .*ulimit -n 2256.*WORKER_CAPACITY=76$/);
  });

  it('are no reason to name a number of sessions that is none', () => {
    expect(() => requireOpenFiles(1, 64)).toThrow(/nofile=266 for Docker$/);
  });

  it('are not looked at where nobody knows them', () => {
    expect(() => requireOpenFiles(200, undefined)).not.toThrow();
  });
});
