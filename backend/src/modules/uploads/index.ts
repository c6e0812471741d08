export { isUploadId, readRecord } from './upload-folder.js';
export { isFolderLocked } from './upload-lock.js';
export { type Upload, UploadStore } from './upload-store.js';
export { readMarks, type UploadUse, UploadUses } from './upload-uses.js';
export { UploadsModule } from './uploads.module.js';
export * from './uploads.errors.js';
