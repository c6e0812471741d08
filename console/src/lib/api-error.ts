/** One field that the server refused, as `details.issues` of a `validation_failed` answer lists it. */
export interface FieldIssue {
  readonly path: string;
  readonly message: string;
}

interface ApiErrorFields {
  readonly message: string;
  readonly status: number;
  readonly source: 'gateway' | 'tdlib' | 'network';
  readonly code?: string | number | undefined;
  readonly requestId?: string | undefined;
  readonly retryAfterSeconds?: number | undefined;
  readonly sessionId?: string | undefined;
  readonly details?: Readonly<Record<string, unknown>> | undefined;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

/** Every failure of an API call, whichever side refused: what the server said, and the id its log knows the request by. */
export class ApiError extends Error {
  readonly status: number;
  /** `tdlib` when Telegram refused, `gateway` when the request never reached it, `network` when nobody answered. */
  readonly source: ApiErrorFields['source'];
  readonly code: string | number | undefined;
  readonly requestId: string | undefined;
  readonly retryAfterSeconds: number | undefined;
  readonly sessionId: string | undefined;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(fields: ApiErrorFields, options?: ErrorOptions) {
    super(fields.message, options);
    this.name = 'ApiError';
    this.status = fields.status;
    this.source = fields.source;
    this.code = fields.code;
    this.requestId = fields.requestId;
    this.retryAfterSeconds = fields.retryAfterSeconds;
    this.sessionId = fields.sessionId;
    this.details = fields.details ?? {};
  }

  /** Reads the failure envelope; an answer without one (a proxy's error page, say) still becomes a readable error. */
  static async fromResponse(response: Response): Promise<ApiError> {
    const requestId = text(response.headers.get('x-request-id'));
    const body: unknown = await response
      .clone()
      .json()
      .catch(() => undefined);
    const error = isRecord(body) && isRecord(body['error']) ? body['error'] : undefined;
    if (!error) {
      return new ApiError({
        message: `The server answered ${response.status} without saying why.`,
        status: response.status,
        source: 'gateway',
        requestId,
        details: isRecord(body) ? body : undefined,
      });
    }
    const code = error['code'];
    const retryAfter = error['retry_after'];
    return new ApiError({
      message: text(error['message']) ?? `The server answered ${response.status}.`,
      status: response.status,
      source: error['source'] === 'tdlib' ? 'tdlib' : 'gateway',
      code: typeof code === 'string' || typeof code === 'number' ? code : undefined,
      requestId,
      retryAfterSeconds: typeof retryAfter === 'number' ? retryAfter : undefined,
      sessionId: text(error['session_id']),
      details: isRecord(error['details']) ? error['details'] : undefined,
    });
  }

  /** @returns the failure as an ApiError; what is not one yet means that no answer arrived. */
  static from(thrown: unknown): ApiError {
    if (thrown instanceof ApiError) return thrown;
    return new ApiError(
      { message: 'The server cannot be reached. Check the connection and try again.', status: 0, source: 'network' },
      { cause: thrown },
    );
  }

  /** True when our server no longer knows the caller. TDLib's own 401 is about a Telegram account and is not this. */
  get endsConsoleSession(): boolean {
    return this.status === 401 && this.source === 'gateway';
  }

  /** What the server found wrong, field by field; empty unless the code is `validation_failed`. */
  get issues(): readonly FieldIssue[] {
    const issues = this.details['issues'];
    if (!Array.isArray(issues)) return [];
    return issues.filter(
      (issue): issue is FieldIssue =>
        isRecord(issue) && typeof issue['path'] === 'string' && typeof issue['message'] === 'string',
    );
  }

  /** Ids of the sessions that keep an app or a proxy from being deleted (409 `in_use`). */
  get sessionsInUse(): readonly string[] {
    const ids = this.details['session_ids'] ?? this.details['sessions'];
    return Array.isArray(ids) ? ids.filter((id): id is string => typeof id === 'string') : [];
  }
}
