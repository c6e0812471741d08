import { Downloads } from './downloads.js';

describe('Downloads', () => {
  const waiting = (downloads: Downloads, file_id: unknown): (() => boolean) => {
    const leave = downloads.follow('downloadFile', { file_id, synchronous: true });
    if (leave === undefined) throw new Error('not followed');
    return leave;
  };

  it('says of the last caller only that nobody wants the file any more, and once', () => {
    const downloads = new Downloads();
    const first = waiting(downloads, 7);
    const second = waiting(downloads, '7');
    const other = waiting(downloads, 8);
    expect(first()).toBe(false);
    expect(first()).toBe(false);
    expect(second()).toBe(true);
    expect(second()).toBe(false);
    expect(other()).toBe(true);
    expect(waiting(downloads, 7)()).toBe(true);
  });

  it.each([
    ['downloadFile', { file_id: 7 }],
    ['addFileToDownloads', { file_id: 7 }],
  ])('keeps what was asked for by %s without waiting, until it is cancelled', (method, params) => {
    const downloads = new Downloads();
    downloads.follow(method, params)?.();
    expect(waiting(downloads, 7)()).toBe(false);
    downloads.follow('cancelDownloadFile', { file_id: 7 });
    expect(waiting(downloads, 7)()).toBe(true);
  });

  it('has nothing to do with other methods', () => {
    expect(new Downloads().follow('getFile', { file_id: 7 })).toBeUndefined();
  });
});
