export { changedAt, diskSpace, isUploadId, lastTouched } from './upload-folder.js';
export { isFolderLocked } from './upload-lock.js';
export { type ListedUpload, type Upload, UploadStore } from './upload-store.js';
export { isPlainName, plainNameOf } from './upload-name.js';
export { readMarks } from './upload-marks.js';
export { type UploadUse, UploadUses } from './upload-uses.js';
export { UploadsModule } from './uploads.module.js';
export * from './uploads.errors.js';
