import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { databaseFailure } from '../../common/db/database-failure.js';
import { messageOf } from '../../common/errors/index.js';
import { IDEMPOTENT_REPLAYED } from '../../common/idempotency/index.js';
import { type Caller, describe, type RequestObserver } from '../../common/http/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import type { AuditEventEntity } from './audit-event.entity.js';
import { AuditRepository } from './audit.repository.js';
import { masked, shown } from './masking.js';
import { objectOf } from './object-of.js';
import { Refusals } from './refusals.js';

/** What waits for the database, at most; the rest is counted. */
const MAX_QUEUED = 10_000;
const PORTION = 500;
const WRITE_EVERY_MS = 500;
const RETRY_MS = 2_000;
/** A shutdown waits no longer for the last write. */
const LAST_WRITE_MS = 3_000;
/** Refusals that tell of somebody who wanted more than is theirs. */
const DENIED: ReadonlySet<number> = new Set([401, 403, 429]);

type AuditEvent = AuditEventEntity;

/**
 * Writes down who did what: every change, and what else was refused. One place hears of all routes, so none can be forgotten. No request
 * waits for it: events are queued, written in portions, and what the queue cannot hold is counted and told.
 */
@Injectable()
export class AuditLog implements RequestObserver, OnApplicationShutdown {
  private readonly logger: AppLogger;
  private readonly refusals = new Refusals<AuditEvent>();
  private queue: AuditEvent[] = [];
  private dropped = 0;
  private isEnding = false;
  private timer: NodeJS.Timeout | undefined;
  private writing: Promise<void> | undefined;

  constructor(
    private readonly repository: AuditRepository,
    logger: AppLogger,
  ) {
    this.logger = logger.for(AuditLog.name);
  }

  changed(request: FastifyRequest, reply: FastifyReply, answer: string): void {
    const { result, error } = read(answer);
    const body = masked(request.body);
    const query = masked(request.query);
    const isReplay = reply.getHeader(IDEMPOTENT_REPLAYED) !== undefined;
    const event = eventOf(request, reply.statusCode, error, result, {
      ...(typeof body === 'object' && body !== null && { body }),
      ...(typeof query === 'object' && query !== null && Object.keys(query).length > 0 && { query }),
      ...(isReplay && { replayed: true }),
      // Telegram's words; ours may repeat what was given.
      ...(error?.source === 'tdlib' && { message: error.message }),
    });
    if (isDenied(reply.statusCode, error)) this.sample(event);
    else this.add(event);
  }

  refused(request: FastifyRequest, reason: unknown): void {
    const { status, body } = describe(reason);
    const error = { ...body.error, code: String(body.error.code) };
    if (!isDenied(status, error)) return;
    this.sample(eventOf(request, status, error, undefined, masked(body.error.details ?? {}) as object));
  }

  private sample(event: AuditEvent): void {
    const { actor, tokenId, address, action, objectId, code, details } = event;
    const kind = [tokenId ?? `${actor} ${address}`, action, objectId, code, JSON.stringify(details)].join(' ');
    if (this.refusals.note(kind, event)) this.add(event);
    else this.schedule(WRITE_EVERY_MS);
  }

  /** The server is closed by then: nothing is added any more. */
  async onApplicationShutdown(): Promise<void> {
    this.isEnding = true;
    clearTimeout(this.timer);
    await Promise.race([this.writeAll(), sleep(LAST_WRITE_MS, undefined, { ref: false })]);
  }

  private async writeAll(): Promise<void> {
    this.count(true);
    for (let last = Infinity; this.queue.length > 0 && this.queue.length < last;) {
      last = this.queue.length;
      await this.write();
    }
  }

  private add(event: AuditEvent): void {
    if (this.queue.length >= MAX_QUEUED) this.dropped += 1;
    else this.queue.push(event);
    this.schedule(WRITE_EVERY_MS);
  }

  private schedule(ms: number): void {
    if (this.isEnding) return;
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.count(false);
      void this.write();
    }, ms).unref();
  }

  /** Tells of what was only counted. */
  private count(all: boolean): void {
    for (const { first, more } of this.refusals.takeCounted(all)) {
      this.queue.push({ ...first, id: randomUUID(), createdAt: new Date(), count: more });
    }
    if (this.dropped > 0 && this.queue.length < MAX_QUEUED) {
      this.queue.push(lossOf(this.dropped));
      this.dropped = 0;
    }
  }

  private write(): Promise<void> {
    this.writing ??= this.writePortion().finally(() => {
      this.writing = undefined;
    });
    return this.writing;
  }

  private async writePortion(): Promise<void> {
    const portion = this.queue.slice(0, PORTION);
    if (portion.length === 0) {
      // Alike refusals are told of when their minute is over, whether or not anything else happens.
      if (this.refusals.isCounting) this.schedule(RETRY_MS);
      return;
    }
    try {
      await this.repository.insert(portion);
      this.queue = this.queue.slice(portion.length);
      if (this.queue.length > 0 || this.refusals.isCounting) this.schedule(WRITE_EVERY_MS);
    } catch (error) {
      if (!databaseFailure(error)) {
        // What the database does not take now it will never take: the rest must not wait behind it.
        this.queue = this.queue.slice(portion.length);
        this.dropped += portion.length;
      }
      this.logger.warn(`${this.queue.length} events wait for the audit log: ${messageOf(error)}`);
      this.schedule(RETRY_MS);
    }
  }
}

interface ReadError {
  readonly code: string;
  readonly source: string;
  readonly message: string;
}

function read(answer: string): { readonly result?: unknown; readonly error?: ReadError } {
  if (!answer.startsWith('{')) return {};
  try {
    const { result, error } = JSON.parse(answer) as {
      result?: unknown;
      error?: Omit<ReadError, 'code'> & { code: unknown };
    };
    return { result, ...(error && { error: { ...error, code: String(error.code) } }) };
  } catch {
    return {};
  }
}

function actorOf(caller: Caller | undefined): Pick<AuditEvent, 'actor' | 'tokenId' | 'tokenName'> {
  if (caller === undefined) return { actor: 'nobody', tokenId: null, tokenName: null };
  if (caller.kind === 'token') return { actor: 'token', tokenId: caller.tokenId, tokenName: caller.name ?? null };
  return { actor: caller.via === 'console' ? 'console' : 'master', tokenId: null, tokenName: null };
}

/** Somebody wanted more than is theirs; what Telegram refuses is another matter. */
function isDenied(status: number, error: ReadError | undefined): boolean {
  return error?.source === 'gateway' && DENIED.has(status);
}

function eventOf(
  request: FastifyRequest,
  status: number,
  error: ReadError | undefined,
  result: unknown,
  details: object,
): AuditEvent {
  const { requestContext, routeOptions } = request;
  const { id } = request.params as { readonly id?: unknown };
  const object = objectOf(routeOptions.url ?? '', request.params, result);
  const isOfSession = /^\/v1\/(bot|user|:kind)/.test(routeOptions.url ?? '') && typeof id === 'string';
  return {
    id: randomUUID(),
    createdAt: new Date(),
    ...actorOf(requestContext.caller),
    address: requestContext.remoteAddress,
    requestId: requestContext.requestId,
    action: routeOptions.config.operation ?? `${request.method} ${routeOptions.url ?? ''}`,
    objectType: object.type ?? null,
    objectId: object.id ?? null,
    sessionId: isOfSession ? shown(id).toLowerCase() : null,
    status,
    code: error?.code ?? null,
    details,
    count: 1,
  };
}

/** What was lost must not look as if it had not happened. */
function lossOf(count: number): AuditEvent {
  return {
    id: randomUUID(),
    createdAt: new Date(),
    actor: 'system',
    tokenId: null,
    tokenName: null,
    address: '',
    requestId: '',
    action: 'auditEventsDropped',
    objectType: null,
    objectId: null,
    sessionId: null,
    status: 0,
    code: null,
    details: {},
    count,
  };
}
