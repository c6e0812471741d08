import { CreateRegistry1700000000000 } from './1700000000000-create-registry.js';
import { CreateTokens1700000100000 } from './1700000100000-create-tokens.js';
import { CreateSends1700000200000 } from './1700000200000-create-sends.js';
import { KeepAccounts1700000300000 } from './1700000300000-keep-accounts.js';
import { CreateSubscriptions1700000400000 } from './1700000400000-create-subscriptions.js';
import { CountByHour1700000500000 } from './1700000500000-count-by-hour.js';
import { LimitTokens1700000600000 } from './1700000600000-limit-tokens.js';
import { CreateAudit1700000600001 } from './1700000600001-create-audit.js';
import { CreateLimits1700000700000 } from './1700000700000-create-limits.js';
import { CreatePools1700000800000 } from './1700000800000-create-pools.js';
import { CreateS3Keys1700000900000 } from './1700000900000-create-s3-keys.js';
import { FindUpdatesById1700001000000 } from './1700001000000-find-updates-by-id.js';
import { TellRoutes1700001000001 } from './1700001000001-tell-routes.js';
import { KeepLifts1700001100000 } from './1700001100000-keep-lifts.js';
import { JournalPoolSends1700001200000 } from './1700001200000-journal-pool-sends.js';
import { CreateBuckets1700001300000 } from './1700001300000-create-buckets.js';
import { DescribeFleet1700001400000 } from './1700001400000-describe-fleet.js';
import { CreateSessionStates1700001500000 } from './1700001500000-create-session-states.js';
import { CreateInstance1700001500001 } from './1700001500001-create-instance.js';
import { LimitMemory1700002200000 } from './1700002200000-limit-memory.js';
import { CreatePoolJobs1700001800000 } from './1700001800000-create-pool-jobs.js';
import { EncryptPools1700001800001 } from './1700001800001-encrypt-pools.js';
import { CreateResumables1700001900000 } from './1700001900000-create-resumables.js';
import { CreatePoolLinks1700001900001 } from './1700001900001-create-pool-links.js';
import { CreatePoolEvents1700001900002 } from './1700001900002-create-pool-events.js';
import { NoteConnections1700002100000 } from './1700002100000-note-connections.js';

/** Every migration, oldest first. */
export const MIGRATIONS = [
  CreateRegistry1700000000000,
  CreateTokens1700000100000,
  CreateSends1700000200000,
  KeepAccounts1700000300000,
  CreateSubscriptions1700000400000,
  CountByHour1700000500000,
  LimitTokens1700000600000,
  CreateAudit1700000600001,
  CreateLimits1700000700000,
  CreatePools1700000800000,
  CreateS3Keys1700000900000,
  FindUpdatesById1700001000000,
  TellRoutes1700001000001,
  KeepLifts1700001100000,
  JournalPoolSends1700001200000,
  CreateBuckets1700001300000,
  DescribeFleet1700001400000,
  CreateSessionStates1700001500000,
  CreateInstance1700001500001,
  CreatePoolJobs1700001800000,
  EncryptPools1700001800001,
  CreateResumables1700001900000,
  CreatePoolLinks1700001900001,
  CreatePoolEvents1700001900002,
  NoteConnections1700002100000,
  LimitMemory1700002200000,
];
