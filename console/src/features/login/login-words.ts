import { ApiError } from '@/lib/api-error';
import type { CodeInfo } from '@/lib/types';

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
const typeName = (value: unknown): string =>
  isRecord(value) && typeof value['@type'] === 'string' ? value['@type'] : '';

/** How Telegram delivers a code, by td_api's authenticationCodeType… names. */
const CHANNELS: Record<string, { sent: string; next: string }> = {
  authenticationCodeTypeTelegramMessage: { sent: 'in the Telegram app', next: 'in the Telegram app' },
  authenticationCodeTypeSms: { sent: 'by SMS', next: 'by SMS' },
  authenticationCodeTypeSmsWord: { sent: 'as a word by SMS', next: 'as a word by SMS' },
  authenticationCodeTypeSmsPhrase: { sent: 'as a phrase by SMS', next: 'as a phrase by SMS' },
  authenticationCodeTypeCall: { sent: 'by a phone call', next: 'by a phone call' },
  authenticationCodeTypeFlashCall: { sent: 'by a flash call', next: 'by a flash call' },
  authenticationCodeTypeMissedCall: {
    sent: 'by a missed call: the code is the end of the calling number',
    next: 'by a missed call',
  },
  authenticationCodeTypeFragment: { sent: 'on fragment.com', next: 'on fragment.com' },
  authenticationCodeTypeFirebaseAndroid: { sent: 'by SMS', next: 'by SMS' },
  authenticationCodeTypeFirebaseIos: { sent: 'by SMS', next: 'by SMS' },
};

/** Where the code went: "in the Telegram app, to +1 555…, 5 digits". */
export function describeCode(info: CodeInfo | undefined): string {
  if (!info) return 'Telegram sent a login code.';
  const channel = CHANNELS[typeName(info['type'])]?.sent ?? 'by a way this console does not know';
  const phone = text(info['phone_number']);
  const length = codeLength(info);
  return [
    `Telegram sent the code ${channel}`,
    phone === undefined ? '' : `, to +${phone.replace(/^\+/, '')}`,
    length === undefined ? '' : ` (${length} digits)`,
    '.',
  ].join('');
}

/** How many characters the code has, when Telegram says so. */
export function codeLength(info: CodeInfo | undefined): number | undefined {
  const type = info?.['type'];
  const length = isRecord(type) ? type['length'] : undefined;
  return typeof length === 'number' && length > 0 ? length : undefined;
}

/** The way of the next code, undefined when Telegram offers none. */
export function nextChannel(info: CodeInfo | undefined): string | undefined {
  const name = typeName(info?.['next_type']);
  return name === '' ? undefined : (CHANNELS[name]?.next ?? 'another way');
}

/** When Telegram allows the next code, in milliseconds; undefined when it does not say, and the server then decides. */
export function resendTime(info: CodeInfo | undefined): number | undefined {
  const at = Date.parse(text(info?.['resend_at']) ?? '');
  return Number.isNaN(at) ? undefined : at;
}

/** The refusal that a login form shows: the one of this try, else the last one the session remembers. */
export function refusalOf(thrown: unknown, lastError: string | undefined): string | undefined {
  if (thrown !== null && thrown !== undefined) return ApiError.from(thrown).message;
  return lastError === '' ? undefined : lastError;
}
