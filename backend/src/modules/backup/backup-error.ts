import { AppError } from '../../common/errors/index.js';

/** A backup, a restore or an activation is refused or has failed; the message is for the operator. */
export class BackupError extends AppError {
  readonly code = 'backup_failed';
  readonly status = 500;
}
