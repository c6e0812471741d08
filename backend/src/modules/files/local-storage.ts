import { mkdir, utimes } from 'node:fs/promises';
import { Injectable } from '@nestjs/common';
import pLimit from 'p-limit';
import { DeadlineError } from '../../common/errors/index.js';
import { AppConfig } from '../../config/index.js';
import { numberMember, objectMember, stringMember, type TdClient, type TdObject } from '../../telegram/index.js';
import { OpenSessions } from '../sessions/index.js';
import { diskSpace, UploadUses } from '../uploads/index.js';
import { WorkerLease } from '../workers/index.js';
import {
  type FilesOfTypeDto,
  type FilesTotalDto,
  MIN_IMMUNITY_S,
  type OptimizeStorageDto,
  type SessionStorageDto,
  type StorageOptimizedDto,
  type WorkerStorageDto,
} from './storage.dto.js';
import { type SessionName, Storage, STORAGE_TIMEOUT_MS } from './storage.js';
import { toTdFile } from './td-file.js';

/** More files than any session has. */
const ANY_NUMBER = 2 ** 31 - 1;
/** TDLib may take so long to look at every file of a session; others wait meanwhile. */
const DISK_WORK_TIMEOUT_MS = 10 * 60_000;
/** A file in use is made to look as if it would be used so late: TDLib's work on a large folder must not overtake it. */
const IN_USE_S = 3_600;
const ASKED_AT_ONCE = 16;

type Taken = Pick<SessionStorageDto, 'files' | 'database_bytes'>;

/** The disk use of the sessions in this process. */
@Injectable()
export class LocalStorage extends Storage {
  /** One session at a time; others wait. */
  private readonly diskWork = pLimit(1);

  constructor(
    private readonly config: AppConfig,
    private readonly sessions: OpenSessions,
    private readonly uses: UploadUses,
    private readonly lease: WorkerLease,
  ) {
    super();
  }

  override async ofSession(session: SessionName, isByType: boolean): Promise<SessionStorageDto> {
    const client = await this.sessions.client(session.kind, session.id);
    if (!isByType) return this.quick(session, client);
    const work = this.diskWork(() => lookAtFiles(client));
    const byType = typesOf(await atMost('looking at the files', work));
    return { ...(await this.quick(session, client)), by_type: byType };
  }

  override async optimize(session: SessionName, limits: OptimizeStorageDto): Promise<StorageOptimizedDto> {
    return atMost('removing files', this.clean(session, limits));
  }

  /** As {@link optimize}, for as long as it takes. */
  async clean(session: SessionName, limits: OptimizeStorageDto): Promise<StorageOptimizedDto> {
    const client = await this.sessions.client(session.kind, session.id);
    return this.diskWork(async () => {
      await this.keepUsed(session.id, client);
      const removed = await client.request(this.queryOf(limits), { timeoutMs: DISK_WORK_TIMEOUT_MS });
      const { files } = await this.quick(session, client);
      return { removed: { bytes: numberMember(removed, 'size'), count: numberMember(removed, 'count') }, files };
    });
  }

  override async ofWorkers(): Promise<WorkerStorageDto[]> {
    const ask = pLimit(ASKED_AT_ONCE);
    const sessions = await Promise.all(
      // One that closes meanwhile is left out.
      this.sessions.ready.map((each) => ask(() => this.quick(each, each.client).catch(() => undefined))),
    );
    const { freeBytes, totalBytes } = await this.disk();
    return [
      {
        worker_id: this.lease.workerId,
        free_bytes: freeBytes,
        total_bytes: totalBytes,
        sessions: sessions
          .filter((each) => each !== undefined)
          .toSorted((one, other) => other.files.bytes - one.files.bytes),
      },
    ];
  }

  private async disk(): ReturnType<typeof diskSpace> {
    await mkdir(this.config.dataDir, { recursive: true });
    return diskSpace(this.config.dataDir);
  }

  private async quick({ kind, id }: SessionName, client: TdClient): Promise<SessionStorageDto> {
    const [taken, uploads] = await Promise.all([
      kind === 'bot' ? this.ofBot(id, client) : ofUser(client),
      this.uses.takenBy(id),
    ]);
    return { session_id: id, kind, ...taken, uploads };
  }

  /** TDLib has no quick count for bots (1.8.62): it looks at their files, of which a bot rarely has many. */
  private async ofBot(id: string, client: TdClient): Promise<Taken> {
    const [statistics, databaseBytes] = await Promise.all([lookAtFiles(client), this.sessions.databaseBytes(id)]);
    return {
      files: { bytes: numberMember(statistics, 'size'), count: numberMember(statistics, 'count') },
      database_bytes: databaseBytes,
    };
  }

  private queryOf({ size, ttl, count, immunity_delay: immunity }: OptimizeStorageDto): TdObject {
    const { maxBytes, ttlMs, immunityMs } = this.config.storage;
    return {
      '@type': 'optimizeStorage',
      size: size ?? maxBytes,
      ttl: ttl ?? seconds(ttlMs),
      count: count ?? ANY_NUMBER,
      immunity_delay: immunity ?? Math.max(MIN_IMMUNITY_S, seconds(immunityMs)),
      file_types: [],
      chat_ids: [],
      exclude_chat_ids: [],
      return_deleted_file_statistics: true,
      chat_limit: 0,
    };
  }

  /**
   * TDLib removes the least recently used files, whatever it does with them at the moment: those that are being downloaded or
   * read are made to look used. What is being sent lies among the uploads, which TDLib does not look at.
   */
  private async keepUsed(sessionId: string, client: TdClient): Promise<void> {
    const now = Date.now() / 1_000;
    for (const fileId of this.sessions.wantedFiles(sessionId)) {
      const file = await client.request({ '@type': 'getFile', file_id: fileId }).catch(() => undefined);
      const path = file === undefined ? '' : toTdFile(file).path;
      // A file that TDLib has just moved is new, and so not in danger.
      if (path !== '') await utimes(path, now + IN_USE_S, now).catch(() => undefined);
    }
  }
}

/** td_api's `storageStatistics`, for which TDLib looks at every file of the session. */
function lookAtFiles(client: TdClient): Promise<TdObject> {
  const query = { '@type': 'getStorageStatistics', chat_limit: 0 };
  return client.request(query, { timeoutMs: DISK_WORK_TIMEOUT_MS });
}

async function ofUser(client: TdClient): Promise<Taken> {
  const statistics = await client.request({ '@type': 'getStorageStatisticsFast' });
  return {
    // TDLib corrects its quick count now and then, and may be below zero until it does.
    files: {
      bytes: Math.max(0, numberMember(statistics, 'files_size')),
      count: Math.max(0, numberMember(statistics, 'file_count')),
    },
    database_bytes: numberMember(statistics, 'database_size') + numberMember(statistics, 'language_pack_database_size'),
  };
}

/** @throws DeadlineError when it is not done in time; then it goes on */
async function atMost<T>(what: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(what, STORAGE_TIMEOUT_MS)), STORAGE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}

function seconds(ms: number): number {
  return Math.min(ANY_NUMBER, Math.ceil(ms / 1_000));
}

/** What td_api's `storageStatistics` says of types, over all chats. */
function typesOf(statistics: TdObject): FilesOfTypeDto[] {
  const totals = new Map<string, FilesTotalDto>();
  const chats = statistics['by_chat'] as readonly TdObject[];
  for (const entry of chats.flatMap((chat) => chat['by_file_type'] as readonly TdObject[])) {
    const type = stringMember(objectMember(entry, 'file_type') ?? entry, '@type').replace(/^fileType/, '');
    const { bytes, count } = totals.get(type) ?? { bytes: 0, count: 0 };
    totals.set(type, { bytes: bytes + numberMember(entry, 'size'), count: count + numberMember(entry, 'count') });
  }
  return [...totals].map(([type, total]) => ({ type, ...total })).toSorted((one, other) => other.bytes - one.bytes);
}
