import { AppError, type ErrorSource } from './app-error.js';

/**
 * The HTTP status for a TDLib error code: 420 is Telegram's older flood code, other HTTP-like codes pass, an error without
 * a code (0) could not be read, and TDLib's own small or negative codes mean that the request was wrong.
 */
export function statusOfTdlibCode(tdCode: number): number {
  if (tdCode === 0) return 502;
  if (tdCode === 420) return 429;
  return tdCode >= 400 && tdCode <= 599 ? tdCode : 400;
}

/** The seconds of TDLib's `Too Many Requests: retry after N`; undefined when the text does not end that way. */
export function retryAfterOf(message: string): number | undefined {
  const marker = 'retry after ';
  const at = message.lastIndexOf(marker);
  if (at < 0) return undefined;
  const text = message.slice(at + marker.length).trim();
  return /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

/** What TDLib or Telegram refused, with their own code and text. */
export class TdlibError extends AppError {
  override readonly source: ErrorSource = 'tdlib';
  readonly code: number;
  readonly status: number;

  /**
   * @param tdCode `code` of td_api's `error`
   * @param message `message` of td_api's `error`, passed to the client as it is
   */
  constructor(
    readonly tdCode: number,
    message: string,
  ) {
    const seconds = tdCode === 429 || tdCode === 420 ? retryAfterOf(message) : undefined;
    super(message, seconds === undefined ? {} : { retryAfterSeconds: seconds });
    this.code = tdCode;
    this.status = statusOfTdlibCode(tdCode);
  }
}
