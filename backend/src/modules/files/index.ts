export { contentDisposition, select } from './download-request.js';
export { Downloads } from './downloads.js';
export { FilesModule } from './files.module.js';
export { sendFile } from './send-file.js';
