'use client';

import { type ReactNode, useEffect, useState } from 'react';
import { Button } from '@/components/ui/button';
import { CopyTextButton } from '@/components/ui/copy';
import { Dialog, DialogActions } from '@/components/ui/dialog';

interface SecretDialogProps {
  name: 'Token' | 'Secret';
  description: string;
  secret: string;
  onClose: () => void;
  /** What belongs below the secret; `onCopied` when a copy of something with the secret in it was taken there. */
  children: (onCopied: () => void) => ReactNode;
}

/** Shows a secret that nobody can see again: only an answer closes it, and without a copy it asks once more. */
export function SecretDialog({ name, description, secret, onClose, children }: SecretDialogProps) {
  const [copied, setCopied] = useState(false);
  const [asked, setAsked] = useState(false);
  useEffect(() => {
    // Reloading would take the secret away as well.
    const hold = (event: BeforeUnloadEvent): void => event.preventDefault();
    window.addEventListener('beforeunload', hold);
    return () => window.removeEventListener('beforeunload', hold);
  }, []);
  const onCopied = (): void => setCopied(true);
  const leave = (): void => {
    if (copied || asked) onClose();
    else setAsked(true);
  };
  return (
    <Dialog title={`Copy the ${name.toLowerCase()} now`} description={description} onClose={leave} keepUntilAnswered>
      <div className="flex flex-col gap-4">
        <div>
          <p id="shown-secret" className="text-sm font-medium">
            {name}
          </p>
          <output
            aria-labelledby="shown-secret"
            className="mt-1.5 block rounded-lg border border-line bg-sunken px-3.5 py-3 font-mono text-sm break-all select-all"
          >
            {secret}
          </output>
          <div className="mt-2.5">
            <CopyTextButton tone="primary" text={() => secret} onCopied={onCopied}>
              {`Copy ${name.toLowerCase()}`}
            </CopyTextButton>
          </div>
        </div>
        {children(onCopied)}
      </div>
      {asked && !copied && (
        <p role="alert" className="mt-4 rounded-lg bg-wait-soft px-3.5 py-3 text-sm text-wait">
          It was not copied yet. After this window it cannot be seen again.
        </p>
      )}
      <DialogActions>
        <Button tone={copied ? 'primary' : 'plain'} onClick={leave}>
          {copied ? 'Done' : asked ? 'Close without copying' : 'I have stored it'}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
