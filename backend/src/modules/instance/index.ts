export { readFence, writeFence } from './fence.js';
export { InstanceGuard } from './instance-guard.js';
export { InstanceModule } from './instance.module.js';
