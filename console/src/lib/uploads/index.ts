export { uploadQueue, type UploadItem, type UploadState } from './upload-queue';
export { useUploadGuard, useUploads } from './use-uploads';
export { inputFileLocal } from './input-file';
