import { createHash, randomUUID } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { messageOf } from '../errors/index.js';
import type { Caller } from '../http/index.js';
import { AppLogger } from '../log/app-logger.js';
import { canonicalJson } from './canonical-json.js';
import {
  IdempotencyAnswerNotKeptError,
  IdempotencyInProgressError,
  IdempotencyMismatchError,
} from './idempotency.errors.js';
import { type KeptAnswer, type KeyedRequest, IdempotencyRepository } from './idempotency.repository.js';

/** A request with an Idempotency-Key. */
export interface IdempotentRequest {
  readonly caller: Caller | undefined;
  readonly method: string;
  /** Of the public route, without the query. */
  readonly path: string;
  readonly key: string;
  readonly body: unknown;
}

/** An answer that was given before: the JSON of `result`, or of `error` for a status of 400 and above. */
export interface StoredAnswer {
  readonly status: number;
  readonly text: string;
}

/** What a request with a key is: the first of its key, one that was answered, or one whose first died unanswered. */
export type Claim =
  | { readonly kind: 'first'; readonly id: string }
  | { readonly kind: 'answered'; readonly id: string; readonly answer: StoredAnswer }
  | { readonly kind: 'died'; readonly id: string };

/**
 * How long a request counts as running after its process last said so, and how often it says so. Less than a worker's lease: when
 * another has taken its sessions over, its requests have died.
 */
const RUNNING_SECONDS = 4;
const BEAT_MS = 1_000;
const MAX_ANSWER_BYTES = 1024 * 1024;
/** Answers that could not be stored are tried again with every beat; beyond this many they are let go. */
const MAX_UNSAVED = 1_000;
const CLAIM_ATTEMPTS = 5;

/**
 * Answers each request with an Idempotency-Key once. The key is stored before anything is done, so a repeat finds it whatever
 * happens: an answer, a request that still runs, or one that died, of which nobody knows what it did.
 */
@Injectable()
export class Idempotency implements OnApplicationShutdown {
  private readonly running = new Set<string>();
  private readonly unsaved = new Map<string, KeptAnswer>();
  private readonly logger: AppLogger;
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> = Promise.resolve();

  constructor(
    private readonly repository: IdempotencyRepository,
    logger: AppLogger,
  ) {
    this.logger = logger.for(Idempotency.name);
  }

  /**
   * Takes the key, or finds what became of the request that took it. After `first` call exactly one of `finish`, `release` and
   * `giveUp`.
   * @throws IdempotencyMismatchError, IdempotencyInProgressError, IdempotencyAnswerNotKeptError
   */
  async claim({ caller, method, path, key, body }: IdempotentRequest): Promise<Claim> {
    const bodyHash = sha256(canonicalJson(body ?? null));
    const request: KeyedRequest = { owner: ownerOf(caller), method, path, key, bodyHash };
    for (let attempt = 0; attempt < CLAIM_ATTEMPTS; attempt += 1) {
      const id = randomUUID();
      if (await this.repository.insert(id, request, RUNNING_SECONDS)) {
        this.running.add(id);
        this.timer ??= setInterval(() => this.beat(), BEAT_MS).unref();
        return { kind: 'first', id };
      }
      const used = await this.repository.find(request);
      if (used?.expired === true) {
        await this.repository.delete(used.id);
      } else if (used !== undefined) {
        if (used.body_hash !== bodyHash) throw new IdempotencyMismatchError();
        if (used.state === 'running' && used.alive) throw new IdempotencyInProgressError();
        if (used.state === 'running' || used.status === null) return { kind: 'died', id: used.id };
        if (used.answer === null) {
          const { status, answer_hash, answer_bytes } = used;
          throw new IdempotencyAnswerNotKeptError({ status, sha256: answer_hash ?? '', bytes: answer_bytes ?? 0 });
        }
        return { kind: 'answered', id: used.id, answer: { status: used.status, text: used.answer } };
      }
      // It was released, or swept, between the two statements.
    }
    throw new IdempotencyInProgressError();
  }

  /** Keeps the answer. The caller gets it even when the database is away by now; it is stored as soon as that is back. */
  async finish(id: string, { status, text }: StoredAnswer): Promise<void> {
    const bytes = Buffer.byteLength(text);
    const answer = { status, answer: bytes > MAX_ANSWER_BYTES ? null : text, hash: sha256(text), bytes };
    try {
      await this.repository.answer(id, answer);
      this.running.delete(id);
    } catch (error) {
      this.logger.warn(`an answer was not stored for its Idempotency-Key yet: ${messageOf(error)}`);
      if (this.unsaved.size < MAX_UNSAVED) this.unsaved.set(id, answer);
      else this.running.delete(id);
    }
  }

  /** Nothing was done, or Telegram refused it in a way that a repeat may change: the key is free again. */
  async release(id: string): Promise<void> {
    this.running.delete(id);
    try {
      await this.repository.delete(id);
    } catch (error) {
      this.logger.warn(`an Idempotency-Key was not released: ${messageOf(error)}`);
    }
  }

  /** Nobody can say what the request did. */
  async giveUp(id: string): Promise<void> {
    this.running.delete(id);
    try {
      await this.repository.giveUp(id);
    } catch {
      // It ends by itself when nobody says that it runs.
    }
  }

  async onApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    await this.beating;
  }

  private beat(): void {
    this.beating = this.beating.then(() => this.sayWhatRuns());
  }

  private async sayWhatRuns(): Promise<void> {
    try {
      for (const [id, answer] of this.unsaved) {
        await this.repository.answer(id, answer);
        this.unsaved.delete(id);
        this.running.delete(id);
      }
      if (this.running.size > 0) await this.repository.keepRunning([...this.running], RUNNING_SECONDS);
    } catch (error) {
      this.logger.warn(`running requests could not be kept: ${messageOf(error)}`);
    }
  }
}

/** Keys of different callers never meet. */
function ownerOf(caller: Caller | undefined): string {
  const tokenId = caller && 'tokenId' in caller ? caller.tokenId : undefined;
  return typeof tokenId === 'string' ? `token:${tokenId}` : 'master';
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
