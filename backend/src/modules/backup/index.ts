export { activate } from './activate.js';
export { BackupError } from './backup-error.js';
export { type BackupTarget, makeBackup } from './make-backup.js';
export { listBackups, type Manifest, readManifest } from './manifest.js';
export { requireEmpty, restoreBackup } from './restore-backup.js';
export { verifyBackup } from './verify-backup.js';
