import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** The console's cookie. */
export const CONSOLE_COOKIE = 'tgcontrol_console';
/** How long a console session lasts, in milliseconds. */
export const CONSOLE_SESSION_MS = 12 * 3_600_000;

/** A console session that was opened or found. */
export interface ConsoleSession {
  readonly cookie: string;
  /** Must come back in `X-Csrf-Token` on unsafe methods. */
  readonly csrfToken: string;
  readonly expiresAt: Date;
}

/**
 * Console sessions without a store: the cookie is a signed expiry, keyed from the API token, so a new API token ends all
 * of them. A session that was ended stays ended in this process; the browser has lost its cookie in any case.
 */
export class ConsoleSessions {
  private readonly key: Buffer;
  /** By nonce: a cookie could be written in more than one way, a nonce is what was signed. */
  private readonly ended = new Map<string, number>();

  constructor(
    apiToken: string,
    private readonly now: () => number = Date.now,
  ) {
    this.key = createHmac('sha256', apiToken).update('tgcontrol console sessions').digest();
  }

  open(): ConsoleSession {
    const expiresAt = this.now() + CONSOLE_SESSION_MS;
    const payload = `v1.${expiresAt}.${randomBytes(16).toString('base64url')}`;
    return this.sessionOf(`${payload}.${this.mac(`cookie ${payload}`)}`, expiresAt);
  }

  /** The session of a cookie; undefined when it is not ours, has expired or was ended. */
  find(cookie: string): ConsoleSession | undefined {
    const [version, expiry, nonce, mac, ...rest] = cookie.split('.');
    if (rest.length > 0 || version !== 'v1' || expiry === undefined || nonce === undefined || mac === undefined)
      return undefined;
    if (!isSame(mac, this.mac(`cookie v1.${expiry}.${nonce}`))) return undefined;
    const expiresAt = Number(expiry);
    if (!(expiresAt > this.now()) || this.ended.has(nonce)) return undefined;
    return this.sessionOf(cookie, expiresAt);
  }

  end(session: ConsoleSession): void {
    for (const [nonce, expiresAt] of this.ended) if (expiresAt <= this.now()) this.ended.delete(nonce);
    this.ended.set(nonceOf(session.cookie), session.expiresAt.getTime());
  }

  /** Whether `given` is the session's CSRF token. */
  isCsrfToken(session: ConsoleSession, given: string): boolean {
    return isSame(given, session.csrfToken);
  }

  private sessionOf(cookie: string, expiresAt: number): ConsoleSession {
    return { cookie, csrfToken: this.mac(`csrf ${cookie}`), expiresAt: new Date(expiresAt) };
  }

  private mac(text: string): string {
    return createHmac('sha256', this.key).update(text).digest('base64url');
  }
}

function nonceOf(cookie: string): string {
  return cookie.split('.')[2] ?? '';
}

function isSame(left: string, right: string): boolean {
  const [a, b] = [Buffer.from(left, 'utf8'), Buffer.from(right, 'utf8')];
  return a.length === b.length && timingSafeEqual(a, b);
}
