export { objectQueue, type ObjectUpload, type ObjectUploadState } from './object-queue';
export { objectHref } from './put-object';
export { useObjectUploads } from './use-object-uploads';
