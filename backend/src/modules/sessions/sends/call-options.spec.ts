import type { FastifyReply } from 'fastify';
import { callOptionsOf, isReadMethod } from './call-options.js';

const reply = {} as FastifyReply;
const options = (query: Record<string, string>, key?: string, method = 'sendMessage') =>
  callOptionsOf(
    {
      url: Object.keys(query).length > 0 ? '/call?x' : '/call',
      query,
      body: { method },
      headers: key === undefined ? {} : { 'idempotency-key': key },
    },
    reply,
  );

describe('callOptionsOf', () => {
  it('is nothing for a call that asks for nothing', () => {
    expect(options({})).toBeUndefined();
    expect(options({ other: '1' })).toBeUndefined();
  });

  it('takes seconds and a key', () => {
    expect(options({ wait: '60', timeout: '70' }, 'k')).toMatchObject({ waitMs: 60_000, timeoutMs: 70_000, key: 'k' });
  });

  it('lets reads and downloads take an hour', () => {
    expect(options({ timeout: '3600' }, undefined, 'downloadFile')).toMatchObject({ timeoutMs: 3_600_000 });
    expect(options({ timeout: '3600' }, undefined, 'getChatHistory')).toMatchObject({ timeoutMs: 3_600_000 });
    expect(() => options({ timeout: '3601' }, undefined, 'downloadFile')).toThrow('timeout');
    expect(() => options({ timeout: '71' })).toThrow('timeout');
  });

  it.each(['0', '61', '-1', '1.5', 'x', '', '1e1'])('refuses wait=%s', (wait) => {
    expect(() => options({ wait })).toThrow('wait');
  });

  it('names every mistake at once', () => {
    expect(() => options({ wait: '0', timeout: '0' })).toThrow(/wait.*timeout/);
  });
});

describe('isReadMethod', () => {
  it.each(['getChat', 'searchMessages', 'downloadFile', 'loadChats', 'readFilePart'])('%s reads', (method) => {
    expect(isReadMethod(method)).toBe(true);
  });

  it.each(['sendMessage', 'forwardMessages', 'setChatTitle', 'resendMessages', 'unheardOf', '', undefined])(
    '%s may change something',
    (method) => {
      expect(isReadMethod(method)).toBe(false);
    },
  );
});
