import { CreateRegistry1700000000000 } from './1700000000000-create-registry.js';

/** Every migration, oldest first. */
export const MIGRATIONS = [CreateRegistry1700000000000];
