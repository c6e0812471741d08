export { S3KeyEntity } from './s3-key.entity.js';
export { S3Module } from './s3.module.js';
