import fc from 'fast-check';
import { type Caller, NO_SCOPE } from '../http/index.js';
import { CallerSignature } from './caller-signature.js';

const rights = { classes: ['read'], methods: ['getMe'], chats: [-1001] } as const;
const caller = { kind: 'master', via: 'console' } as const;

describe('CallerSignature', () => {
  let now = 1_000_000;
  const signature = new CallerSignature('token', () => now);

  it('tells a worker who asked', () => {
    expect(signature.verify(signature.sign(caller))).toEqual(caller);
  });

  it.each([
    ['with a name', { name: 'the «name»' }],
    ['without a name', {}],
  ])('tells a worker which token asked, %s, and what it may do, and nothing of its scope', (_what, named) => {
    const scope = { allSessions: true, sessionIds: new Set(['s'.repeat(50_000)]), appIds: new Set(['a']) };
    const token: Caller = { kind: 'token', tokenId: 'id', ...named, scope, rights };
    const header = signature.sign(token);
    expect(header.length).toBeLessThan(1000);
    expect(signature.verify(header)).toEqual({ kind: 'token', tokenId: 'id', ...named, scope: NO_SCOPE, rights });
  });

  it('tells one token from another', () => {
    const [one, two] = ['one', 'two'].map((tokenId) =>
      signature.sign({ kind: 'token', tokenId, scope: NO_SCOPE, rights }),
    );
    expect(one).not.toBe(two);
    expect(signature.verify(two ?? '')).toMatchObject({ tokenId: 'two' });
    expect(signature.verify(one ?? '')).toMatchObject({ tokenId: 'one' });
  });

  it('is made anew after a second, and is worth nothing after a minute', () => {
    const first = signature.sign(caller);
    expect(signature.sign(caller)).toBe(first);
    now += 1000;
    expect(signature.sign(caller)).not.toBe(first);
    now += 59_000;
    expect(signature.verify(first)).toEqual(caller);
    now += 1;
    expect(signature.verify(first)).toBeUndefined();
  });

  it('is nobody else’s', () => {
    const other = new CallerSignature('another token', () => now);
    expect(signature.verify(other.sign(caller))).toBeUndefined();
  });

  it('is refused when anything of it was changed, and never throws', () => {
    const header = signature.sign(caller);
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.nat(header.length - 2).map((at) => `${header.slice(0, at)}!${header.slice(at + 1)}`),
        ),
        (text) => {
          expect(signature.verify(text)).toBeUndefined();
        },
      ),
    );
  });
});
