import { Braces, Terminal } from 'lucide-react';
import { CopyTextButton } from '@/components/ui/copy';
import { asCurl, asFetch, type CallRequest } from '@/lib/call';

/** The call for a terminal; the token in it is a placeholder. */
export function CopyAsCurl({ request }: { request: CallRequest }) {
  return (
    <CopyTextButton icon={Terminal} text={() => asCurl(window.location.origin, request)}>
      Copy as curl
    </CopyTextButton>
  );
}

/** The call for JavaScript; the token in it is a placeholder. */
export function CopyAsFetch({ request }: { request: CallRequest }) {
  return (
    <CopyTextButton icon={Braces} text={() => asFetch(window.location.origin, request)}>
      Copy as fetch
    </CopyTextButton>
  );
}
