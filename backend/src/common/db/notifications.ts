import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import pg from 'pg';
import { AppConfig } from '../../config/index.js';
import { messageOf } from '../errors/index.js';
import { AppLogger } from '../log/app-logger.js';
import { UnitOfWork } from './unit-of-work.js';

/** What processes tell each other through the database. */
export type Topic =
  | 'proxy_changed'
  | 'session_released'
  /** With the id of a session: another worker has it, or nobody, or it is another one's to be asked for. Told by a trigger. */
  | 'session_routed'
  /** With the id of a worker: it has another address, or is gone. Told by a trigger. */
  | 'worker_routed'
  | 'token_changed'
  /** With the id of a session: its subscriptions are others. */
  | 'subscriptions_changed'
  /** With the id of a rule of limits. */
  | 'limits_changed'
  /** With the id of a subscription: its owner wants something delivered now. */
  | 'delivery_wanted'
  /** With ids of subscriptions, separated by commas: they have new events. */
  | 'events_stored'
  /** With the id of a pool: something has happened in it. */
  | 'pool_events';

/** Gets the id of what changed; undefined after a lost connection, when anything may have. */
export type NotificationHandler = (id: string | undefined) => void;

const CHANNEL = 'tgcontrol';
const RECONNECT_MS = 1000;
const PING_MS = 20_000;
const END_TIMEOUT_MS = 1000;

/** PostgreSQL's LISTEN/NOTIFY: told at commit, to every process that listens, also the own one. */
@Injectable()
export class Notifications implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly handlers = new Map<Topic, NotificationHandler[]>();
  private readonly stopping = new AbortController();
  private readonly stopped = new Promise<void>((resolve) => {
    this.stopping.signal.addEventListener('abort', () => resolve(), { once: true });
  });
  private listening: Promise<void> = Promise.resolve();

  constructor(
    private readonly config: AppConfig,
    private readonly unitOfWork: UnitOfWork,
    private readonly logger: AppLogger,
  ) {}

  /** Tells everybody when the open transaction commits, or at once without one. */
  async publish(topic: Topic, id: string): Promise<void> {
    await this.unitOfWork.rows('SELECT pg_notify($1, $2)', [CHANNEL, `${topic} ${id}`]);
  }

  /** To be called before the application has started: a process without handlers does not connect. */
  subscribe(topic: Topic, handler: NotificationHandler): void {
    this.handlers.set(topic, [...(this.handlers.get(topic) ?? []), handler]);
  }

  onApplicationBootstrap(): void {
    if (this.handlers.size > 0) this.listening = this.listen();
  }

  async onApplicationShutdown(): Promise<void> {
    this.stopping.abort();
    await this.listening;
  }

  private async listen(): Promise<void> {
    const { signal } = this.stopping;
    for (let isFirst = true; !signal.aborted; isFirst = false) {
      const client = new pg.Client({
        connectionString: this.config.databaseUrl,
        connectionTimeoutMillis: 5000,
        query_timeout: 5000,
      });
      const ended = new Promise<void>((resolve) => {
        client.once('end', resolve);
        client.once('error', () => resolve());
      });
      client.on('notification', ({ payload }) => this.dispatch(payload ?? ''));
      try {
        await client.connect();
        await client.query(`LISTEN ${CHANNEL}`);
        if (!isFirst) for (const topic of this.handlers.keys()) this.tell(topic, undefined);
        await this.stayConnected(client, ended);
      } catch (error) {
        this.logger.warn(`cannot listen to the database: ${messageOf(error)}`);
      }
      // Not awaited for ever: a server that was cut off never says goodbye.
      await Promise.race([client.end().catch(() => undefined), sleep(END_TIMEOUT_MS)]);
      await sleep(RECONNECT_MS, undefined, { signal }).catch(() => undefined);
    }
  }

  /** Resolves when the connection has ended; asks now and then, since one that was cut off says nothing. */
  private async stayConnected(client: pg.Client, ended: Promise<void>): Promise<void> {
    for (;;) {
      const pause = new AbortController();
      const outcome = await Promise.race([
        ended.then(() => 'ended'),
        this.stopped.then(() => 'ended'),
        sleep(PING_MS, 'silent', { signal: pause.signal }).catch(() => 'ended'),
      ]);
      pause.abort();
      if (outcome === 'ended') return;
      await client.query('SELECT 1');
    }
  }

  private dispatch(payload: string): void {
    const at = payload.indexOf(' ');
    this.tell(payload.slice(0, at) as Topic, payload.slice(at + 1));
  }

  private tell(topic: Topic, id: string | undefined): void {
    for (const handler of this.handlers.get(topic) ?? []) {
      try {
        handler(id);
      } catch (error) {
        this.logger.failure('a notification was not handled', error, { topic });
      }
    }
  }
}
