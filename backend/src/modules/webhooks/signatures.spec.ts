import { createHmac, timingSafeEqual } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { makeSecret } from './secret-sealer.js';
import { signatureHeaders } from './signatures.js';

const body = '{"@type":"updateNewMessage","text":"ü 🙂"}';
const signed = (...secrets: string[]): Record<string, string> =>
  signatureHeaders({ deliveryId: 'd1', body, secrets, timestamp: Math.floor(Date.now() / 1_000) });

/** What a receiver needs without any package. */
function verifies(headers: Record<string, string>, secret: string): boolean {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  const expected = createHmac('sha256', key).update(content).digest();
  return (headers['webhook-signature'] ?? '').split(' ').some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ''), 'base64');
    return given.length === expected.length && timingSafeEqual(given, expected);
  });
}

describe('signatures', () => {
  it('are verified by the package of Standard Webhooks, and by ten lines of node:crypto', () => {
    const secret = makeSecret();
    const headers = signed(secret);
    expect(new Webhook(secret).verify(body, headers)).toEqual(JSON.parse(body));
    expect(verifies(headers, secret)).toBe(true);
    expect(verifies(headers, makeSecret())).toBe(false);
    expect(() => new Webhook(secret).verify(`${body} `, headers)).toThrow();
  });

  it('of our own cover the body with the whole secret as it was shown', () => {
    const secret = makeSecret();
    const mac = createHmac('sha256', Buffer.from(secret, 'utf8')).update(body).digest('hex');
    expect(signed(secret)['X-Tgcontrol-Signature']).toBe(`sha256=${mac}`);
  });

  it('with a secret of another form use its bytes', () => {
    const secret = 'a secret of their own';
    const headers = signed(secret);
    expect(new Webhook(Buffer.from(secret).toString('base64')).verify(body, headers)).toEqual(JSON.parse(body));
  });

  it('carry both while two secrets live, and our own the new one', () => {
    const [present, former] = [makeSecret(), makeSecret()];
    const headers = signed(present, former);
    for (const secret of [present, former]) expect(verifies(headers, secret)).toBe(true);
    expect(headers['X-Tgcontrol-Signature']).toBe(signed(present)['X-Tgcontrol-Signature']);
  });
});
