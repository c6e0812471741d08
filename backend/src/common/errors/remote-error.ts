import { AppError, type AppErrorOptions, type ErrorSource } from './app-error.js';

/** A failure that another process of ours has described; it passes unchanged. */
export class RemoteError extends AppError {
  constructor(
    readonly status: number,
    override readonly source: ErrorSource,
    readonly code: string | number,
    message: string,
    options?: AppErrorOptions,
  ) {
    super(message, options);
  }
}
