'use client';

import { ShieldCheck } from 'lucide-react';
import { SecretDialog } from '@/components/secret-dialog';
import { showSecret, useShownSecret, type ShownSecret } from './shown-secret';
import { TestEvent } from './test-event';

/** The secret of a new subscription, over whatever page is open; only an answer closes it. */
export function SubscriptionSecretDialog() {
  const shown = useShownSecret();
  return shown ? <Secret key={shown.secret} shown={shown} /> : null;
}

const VERIFY = `const expected = 'sha256=' + createHmac('sha256', SECRET).update(body).digest('hex');
const given = request.headers['x-tgcontrol-signature'];
const ok = given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected));`;

function Secret({ shown }: { shown: ShownSecret }) {
  return (
    <SecretDialog
      name="Secret"
      description={
        shown.isRotated
          ? 'It is shown this once. The one before signs too for 24 hours.'
          : 'It is shown this once. Every delivery is signed with it.'
      }
      secret={shown.secret}
      onClose={() => showSecret(undefined)}
    >
      {() => (
        <>
          <div>
            <p className="text-sm font-medium">How a receiver checks a delivery</p>
            <pre
              tabIndex={0}
              role="region"
              aria-label="Code that checks a delivery"
              className="mt-1.5 overflow-x-auto rounded-lg border border-line bg-sunken px-3.5 py-3 font-mono text-xs leading-5"
            >
              {VERIFY}
            </pre>
            <p className="mt-1.5 flex gap-2 text-xs text-ink-2">
              <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
              The body as it came, before it is parsed. Libraries for Standard Webhooks work with the headers
              webhook-id, webhook-timestamp and webhook-signature.
            </p>
          </div>
          {!shown.isRotated && <TestEvent session={shown.session} subscriptionId={shown.subscriptionId} />}
        </>
      )}
    </SecretDialog>
  );
}
