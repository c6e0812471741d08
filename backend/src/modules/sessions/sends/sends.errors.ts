import { AppError } from '../../../common/errors/index.js';

/** The outcome of a scheduled message is not followed: it waits for its time, and gets another id when it is sent. */
export class NotTrackedError extends AppError {
  readonly code = 'not_tracked';
  readonly status = 404;

  constructor() {
    super('scheduled messages are not tracked');
  }
}
