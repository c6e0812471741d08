'use client';

import { ShieldCheck, Terminal } from 'lucide-react';
import { SecretDialog } from '@/components/secret-dialog';
import { CopyTextButton } from '@/components/ui/copy';
import { shellWord } from '@/lib/call';
import { showKey, useShownKey, type ShownKey } from './shown-key';

/** What a terminal needs to use a key with aws-cli. @param host of the page, which is the gateway's for most */
function awsLines({ id, secret, port }: ShownKey, host: string): string {
  const endpoint = port === undefined ? 'https://s3.example.com' : `http://${host}:${port}`;
  return [
    `export AWS_ACCESS_KEY_ID=${shellWord(id)}`,
    `export AWS_SECRET_ACCESS_KEY=${shellWord(secret)}`,
    'export AWS_DEFAULT_REGION=us-east-1',
    `aws --endpoint-url ${shellWord(endpoint)} s3 ls`,
  ].join('\n');
}

/** Shows the secret of a key, which only an answer closes. */
export function KeySecretDialog() {
  const shown = useShownKey();
  if (!shown) return null;
  const lines = awsLines(shown, window.location.hostname);
  return (
    <SecretDialog
      key={shown.id}
      name="Secret"
      description={`Of the access key ${shown.id}. It is shown this once, and is stored nowhere.`}
      secret={shown.secret}
      onClose={() => showKey(undefined)}
    >
      {(onCopied) => (
        <>
          <div>
            <p className="text-sm font-medium">With aws-cli</p>
            <pre
              tabIndex={0}
              role="region"
              aria-label="Lines for aws-cli"
              className="mt-1.5 rounded-lg border border-line bg-sunken px-3.5 py-3 font-mono text-xs leading-5 break-all whitespace-pre-wrap"
            >
              {lines}
            </pre>
            <div className="mt-2.5">
              <CopyTextButton size="sm" icon={Terminal} text={() => lines} onCopied={onCopied}>
                Copy the lines
              </CopyTextButton>
            </div>
          </div>
          {shown.port === undefined && (
            <p className="rounded-lg bg-wait-soft px-3.5 py-3 text-xs text-wait">
              The gateway that made the key does not listen for S3. Set{' '}
              <code className="font-mono">S3_LISTEN_ADDR</code>, or put in the address of the gateway that does.
            </p>
          )}
          <p className="flex gap-2.5 rounded-lg bg-sunken px-3.5 py-3 text-xs text-ink-2">
            <ShieldCheck aria-hidden className="mt-0.5 size-4 shrink-0" />
            The endpoint speaks plain HTTP: beyond this machine, put TLS before it. Each pool has a bucket of its own
            name.
          </p>
        </>
      )}
    </SecretDialog>
  );
}
