export { BotPoolModule } from './bot-pool.module.js';
export { BucketsService } from './buckets.service.js';
export { behind } from './key-order.js';
export { ObjectsService } from './objects.service.js';
export { PartUploads } from './part-uploads.js';
export type { Bucket, Description, ObjectRow, PartRow, Precondition } from './stored-object.js';
