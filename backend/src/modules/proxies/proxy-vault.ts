import { ValidationFailedError, type ValidationIssue } from '../../common/errors/index.js';
import type { ProxySettings } from '../../config/index.js';

/** A proxy as it is entered. Empty texts count as absent. */
export interface ProxyDraft {
  readonly type: ProxySettings['type'];
  readonly host: string;
  readonly port: number;
  readonly username?: string | null;
  readonly password?: string | null;
  readonly secret?: string | null;
  readonly label?: string | null;
}

/** What of a proxy changes; null and empty texts clear. */
export type ProxyChange = Partial<ProxyDraft>;

/** What a test of a proxy found: the milliseconds until Telegram's answer, or the reason why none came. */
export type ProxyVerdict = { readonly latencyMs: number } | { readonly reason: string };

/** Works with proxies and their secrets: where MASTER_KEY is, or through a worker. */
export abstract class ProxyVault {
  /**
   * The new proxy's id.
   * @throws ValidationFailedError when the credentials do not go with the type
   */
  abstract create(draft: ProxyDraft): Promise<string>;
  /** @throws NotFoundError, ValidationFailedError */
  abstract change(id: string, change: ProxyChange): Promise<void>;
  /** @throws NotFoundError */
  abstract test(id: string): Promise<ProxyVerdict>;
}

/** Whether there is a text at all. */
export const isGiven = (text: string | null | undefined): text is string =>
  text !== null && text !== undefined && text !== '';

/** TDLib takes a secret as hexadecimal or base64url, of at least 16 bytes. */
const MTPROTO_SECRET = /^([0-9a-fA-F]{32,}|[A-Za-z0-9_-]{22,}={0,2})$/;

/**
 * What credentials of a proxy do not go with its type.
 * @throws ValidationFailedError
 */
export function checkCredentials(proxy: Omit<ProxyDraft, 'host' | 'port' | 'label'>): void {
  const issues: ValidationIssue[] = [];
  if (proxy.type === 'mtproto') {
    if (!isGiven(proxy.secret)) issues.push({ path: 'secret', message: 'is required for an mtproto proxy' });
    else if (!MTPROTO_SECRET.test(proxy.secret)) {
      issues.push({ path: 'secret', message: 'must be hexadecimal or base64url of at least 16 bytes' });
    }
    for (const path of ['username', 'password'] as const) {
      if (isGiven(proxy[path])) issues.push({ path, message: 'an mtproto proxy has none' });
    }
  } else if (isGiven(proxy.secret)) {
    issues.push({ path: 'secret', message: 'only an mtproto proxy has one' });
  }
  if (issues.length > 0) throw new ValidationFailedError(issues);
}
