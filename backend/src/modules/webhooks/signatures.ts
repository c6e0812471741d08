import { createHmac } from 'node:crypto';

/** What a delivery is signed with and for. */
export interface Signed {
  readonly deliveryId: string;
  readonly body: string;
  /** The present secret first; while it is young, the one before. */
  readonly secrets: readonly string[];
  /** Unix seconds. */
  readonly timestamp: number;
}

const PREFIX = 'whsec_';

/** The key of Standard Webhooks: what stands after `whsec_` is base64; a secret of another form is its own key. */
function standardKey(secret: string): Buffer {
  return secret.startsWith(PREFIX) ? Buffer.from(secret.slice(PREFIX.length), 'base64') : Buffer.from(secret, 'utf8');
}

/**
 * The headers that prove where a delivery comes from: our own, over the body with the whole secret as it was shown, and those of
 * Standard Webhooks (standardwebhooks.com), over id, time and body. While two secrets live, the latter carry both.
 */
export function signatureHeaders({ deliveryId, body, secrets, timestamp }: Signed): Record<string, string> {
  const [present = ''] = secrets;
  const signatures = secrets.map((secret) => {
    const mac = createHmac('sha256', standardKey(secret)).update(`${deliveryId}.${timestamp}.${body}`);
    return `v1,${mac.digest('base64')}`;
  });
  return {
    'X-Tgcontrol-Signature': `sha256=${createHmac('sha256', present).update(body, 'utf8').digest('hex')}`,
    'webhook-id': deliveryId,
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatures.join(' '),
  };
}
