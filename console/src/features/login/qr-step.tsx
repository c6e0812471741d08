import { create } from 'qrcode';
import { CopyButton } from '@/components/ui/copy';
import { useNow } from '@/lib/clock';
import { formatCountdown } from '@/lib/time';
import { Discard, Waiting, type StepProps } from './login-parts';

const QUIET_MODULES = 4;

/** The dark squares of a QR code as one path, and the side of the whole with its quiet zone, in modules. */
export function qrPath(text: string): { readonly path: string; readonly side: number } {
  const { modules } = create(text, { errorCorrectionLevel: 'M' });
  let path = '';
  for (let row = 0; row < modules.size; row += 1) {
    for (let column = 0; column < modules.size; column += 1) {
      if (modules.get(row, column)) path += `M${column + QUIET_MODULES} ${row + QUIET_MODULES}h1v1h-1z`;
    }
  }
  return { path, side: modules.size + 2 * QUIET_MODULES };
}

/** The link as a code to scan. Always dark on white: phones read nothing else, whatever the theme is. */
function QrCode({ link }: { link: string }) {
  const { path, side } = qrPath(link);
  return (
    <svg
      role="img"
      aria-label="QR code to scan with Telegram"
      viewBox={`0 0 ${side} ${side}`}
      shapeRendering="crispEdges"
      className="mx-auto w-full max-w-64 rounded-xl border border-line bg-white"
    >
      <path d={path} fill="#000000" />
    </svg>
  );
}

/** The account shows itself by scanning; TDLib's new links replace the code as they come. */
export function QrStep({ login, state, onClose }: StepProps) {
  const link = state.qr?.link;
  return (
    <div>
      {link === undefined ? <Waiting>Telegram is making a code…</Waiting> : <QrCode link={link} />}
      <ol className="mt-4 list-decimal space-y-1 pl-5 text-sm text-ink-2">
        <li>Open Telegram on a phone that is signed in to the account.</li>
        <li>
          Go to <strong className="font-semibold text-ink">Settings → Devices → Link Desktop Device</strong>.
        </li>
        <li>
          Point the phone at this code. <Renewal at={state.qr?.expires_at} />
        </li>
      </ol>
      {link !== undefined && (
        <p className="mt-3 flex items-center gap-1 text-xs text-ink-2">
          On this very device?{' '}
          <a href={link} className="font-medium text-accent-ink underline underline-offset-2">
            Open the link in Telegram
          </a>
          <CopyButton text={link} what="login link" />
        </p>
      )}
      <Discard login={login} onClose={onClose} />
    </div>
  );
}

/** The code renews itself; TDLib does not tell when exactly, so that near the end no number is shown. */
function Renewal({ at }: { at: string | undefined }) {
  const now = useNow();
  const left = (Date.parse(at ?? '') - now) / 1_000;
  return left > 1 ? (
    <>
      It renews itself in about <span className="tabular">{formatCountdown(left)}</span>.
    </>
  ) : (
    <>It renews itself.</>
  );
}
