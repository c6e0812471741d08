import { Backlog } from './backlog.js';

const MIB = 1024 * 1024;

describe('the backlog of a process', () => {
  it('gives one session 64 MiB, and no more though the others have nothing', () => {
    const backlog = new Backlog();
    expect(backlog.hasRoom(63 * MIB, MIB)).toBe(true);
    expect(backlog.hasRoom(64 * MIB, 1)).toBe(false);
  });

  it('gives all sessions together 256 MiB, and room again when something was stored', () => {
    const backlog = new Backlog();
    for (let session = 0; session < 8; session += 1) backlog.add(32 * MIB);
    expect(backlog.hasRoom(32 * MIB, 1)).toBe(false);
    backlog.remove(MIB);
    expect(backlog.hasRoom(32 * MIB, MIB)).toBe(true);
  });

  it('keeps a MiB for each session, however much the flood of others holds', () => {
    const backlog = new Backlog();
    backlog.add(256 * MIB);
    expect(backlog.hasRoom(0, MIB)).toBe(true);
    expect(backlog.hasRoom(MIB, 1)).toBe(false);
  });
});
