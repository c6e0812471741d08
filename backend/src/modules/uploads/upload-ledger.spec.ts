import { MASTER, UploadLedger } from './upload-ledger.js';

describe('the ledger of uploads', () => {
  const ledgerOf = (): UploadLedger => new UploadLedger({ totalBytes: 100, perTokenBytes: 40 });

  it('limits each token, and all together', () => {
    const ledger = ledgerOf();
    ledger.reserve('a', { owner: 't1', bytes: 40, createdAt: 0 });
    expect(() => ledger.reserve('b', { owner: 't1', bytes: 1, createdAt: 0 })).toThrow("the token's uploads");
    ledger.reserve('c', { owner: 't2', bytes: 40, createdAt: 0 });
    ledger.reserve('d', { owner: MASTER, bytes: 20, createdAt: 0 });
    expect(() => ledger.reserve('e', { owner: 't3', bytes: 1, createdAt: 0 })).toThrow('all uploads');
    expect(ledger.totalBytes).toBe(100);
  });

  it('counts growth once, and gives back what is removed', () => {
    const ledger = ledgerOf();
    ledger.reserve('a', { owner: 't1', bytes: 10, createdAt: 0 });
    ledger.reserve('a', { owner: 't1', bytes: 40, createdAt: 0 });
    expect(() => ledger.reserve('a', { owner: 't1', bytes: 41, createdAt: 0 })).toThrow();
    expect(ledger.bytesOf('t1')).toBe(40);
    ledger.remove('a');
    ledger.remove('a');
    expect([ledger.totalBytes, ledger.bytesOf('t1')]).toEqual([0, 0]);
  });

  it("lets the master take what is left of the total, whatever a token's limit is", () => {
    ledgerOf().reserve('a', { owner: MASTER, bytes: 100, createdAt: 0 });
  });
});
