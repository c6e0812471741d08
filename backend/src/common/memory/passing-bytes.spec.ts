import { notePassed } from './passing-bytes.js';

const MIB = 1024 * 1024;

describe('bytes that pass', () => {
  it('leave no more than a few MiB of buffers behind', () => {
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    for (let piece = 0; piece < 4_000; piece += 1) {
      notePassed(Buffer.alloc(64 * 1024).length);
      most = Math.max(most, process.memoryUsage().arrayBuffers - before);
    }
    expect(most).toBeLessThan(12 * MIB);
  });
});
