import { deflateSync, gzipSync } from 'node:zlib';
import { TlParseError } from './tl-reader.js';
import { TlSchema, TlWriteError } from './tl-schema.js';
import { TlWriter } from './tl-writer.js';

describe('TlSchema', () => {
  const schema = new TlSchema();

  it('gives back what was written, flags computed from the fields that are present', () => {
    const message = {
      _: 'messages.sendMessage',
      silent: true,
      peer: { _: 'inputPeerChannel', channel_id: 2 ** 41 + 5, access_hash: -3n },
      message: 'héllo',
      random_id: 2n ** 62n,
      entities: [{ _: 'messageEntityBold', offset: 0, length: 5 }],
    };
    expect(schema.read(schema.write(message))).toEqual(message);
  });

  it('writes constructor ids and fields as Telegram does', () => {
    expect(schema.write({ _: 'mt_ping', ping_id: 1n }).toString('hex')).toBe('ec77be7a0100000000000000');
  });

  it.each([
    ['zlib', deflateSync],
    ['gzip', gzipSync],
  ])('unpacks gzip_packed made by %s', (_name, pack) => {
    const call = { _: 'help.getConfig' };
    const packed = new TlWriter()
      .uint(0x3072cfa1)
      .bytes(pack(schema.write(call)))
      .finish();
    expect(schema.read(packed)).toEqual(call);
  });

  it('writes results by the return type of the method', () => {
    expect(schema.writeResult('upload.saveFilePart', true).toString('hex')).toBe('b5757299');
    expect(schema.writeResult('users.getUsers', []).toString('hex')).toBe('15c4b51c00000000');
    expect(() => schema.writeResult('help.getConfig', true)).toThrow(TlWriteError);
  });

  it('writes objects larger than the buffer it starts with', () => {
    const call = { _: 'mt_msgs_ack', msg_ids: Array.from({ length: 1000 }, (_unused, index) => BigInt(index)) };
    expect(schema.read(schema.write(call))).toEqual(call);
  });

  it('names the field that cannot be written', () => {
    const write = (): Buffer => schema.write({ _: 'peerUser', user_id: 'x' });
    expect(write).toThrow('peerUser.user_id: wanted a number');
  });

  it('refuses unknown constructors and truncated bytes', () => {
    expect(() => schema.read(Buffer.from('01020304', 'hex'))).toThrow(TlParseError);
    expect(() => schema.read(schema.write({ _: 'mt_ping', ping_id: 1n }).subarray(0, 8))).toThrow(TlParseError);
  });
});
