import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import { openStretch, sealedStretch } from '../../common/crypto/sealed-stream.js';
import { MasterKeyMismatchError, messageOf } from '../../common/errors/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { notePassed } from '../../common/memory/passing-bytes.js';
import { Downloads } from '../files/index.js';
import { BlobEraser } from './blob-eraser.js';
import { BlobReads } from './blob-reads.js';
import { BlobsRepository } from './blobs.repository.js';
import { BotCalls, isGone, startingWith } from './bot-calls.js';
import { BlobLostError, BlobUnreadableError } from './bot-pool.errors.js';
import { type Ahead, inTurn, type Source } from './in-turn.js';
import { documentOf } from './message-document.js';
import { PoolKeys } from './pool-keys.js';
import { PoolsRepository } from './pools.repository.js';
import { type Blob, type Extent, plainBytesOf } from './stored-object.js';

/** What a message has of what was stored in it. */
export type Verdict =
  | { readonly kind: 'whole'; readonly bytes: number }
  /** Nothing refers to it any more. */
  | { readonly kind: 'released' }
  | { readonly kind: 'gone' | 'damaged' | 'unreadable'; readonly reason: string };

/** From one byte of a message up to another. */
interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Whether TDLib forgets first what it has of it on the disk. */
  readonly isFresh?: boolean;
}

/** Each message that is begun ahead holds half a MiB with the worker of its bot, and little here. */
const AHEAD: Ahead = { sources: 3, bytes: 4 * 1024 ** 2 };

/** Reads messages through whichever bot of the pool can. While they are read they stay, whatever becomes of their objects. */
@Injectable()
export class BlobReader {
  private readonly logger: AppLogger;

  constructor(
    private readonly blobs: BlobsRepository,
    private readonly reads: BlobReads,
    private readonly eraser: BlobEraser,
    private readonly pools: PoolsRepository,
    private readonly bots: BotCalls,
    private readonly keys: PoolKeys,
    private readonly downloads: Downloads,
    logger: AppLogger,
  ) {
    this.logger = logger.for(BlobReader.name);
  }

  /**
   * The bytes of extents from `from` up to `to`, message after message, and no faster than they are taken, but for a few messages that
   * are begun ahead. The first bytes are there already.
   * @returns undefined when nothing refers to one of the messages any more
   * @throws BlobLostError, BlobUnreadableError
   */
  async read(poolId: string, extents: readonly Extent[], from: number, to: number): Promise<Readable | undefined> {
    const bots = await this.botsOf(poolId);
    const endReading = await this.hold(
      poolId,
      extents.map(({ blob }) => blob),
    );
    if (endReading === undefined) return undefined;
    const pieces = inTurn(this.sources({ poolId, bots, extents }, from, to), AHEAD);
    const ending = (): void =>
      void pieces
        .return(undefined)
        .catch(() => undefined)
        .then(endReading);
    try {
      const first = await pieces.next();
      const all = (async function* () {
        if (first.done !== true) yield first.value;
        yield* pieces;
      })();
      return Readable.from(all, { objectMode: false, highWaterMark: 1 }).once('close', ending);
    } catch (error) {
      ending();
      throw error;
    }
  }

  /**
   * Whether a message still holds what was stored. What the bots' workers have of it on their disks does not count: its bytes come from
   * Telegram anew.
   * @param withBytes whether its bytes are read and compared; otherwise only that it is there with a document of the size
   * @throws what the signal was aborted with
   */
  async check(
    poolId: string,
    blob: Blob,
    { withBytes, signal }: { readonly withBytes: boolean; readonly signal: AbortSignal },
  ): Promise<Verdict> {
    const bots = await this.botsOf(poolId);
    const endReading = await this.hold(poolId, [blob]);
    if (endReading === undefined) return { kind: 'released' };
    try {
      if (!withBytes) {
        await this.findAny(bots, blob);
        return { kind: 'whole', bytes: 0 };
      }
      const hash = createHash('sha256');
      for await (const piece of this.piecesOf(blob, bots, { from: 0, to: blob.sizeBytes, isFresh: true })) {
        signal.throwIfAborted();
        hash.update(piece);
      }
      const actual = hash.digest('hex');
      return actual === blob.sha256
        ? { kind: 'whole', bytes: blob.sizeBytes }
        : { kind: 'damaged', reason: `its SHA-256 is ${actual}, not ${blob.sha256}` };
    } catch (error) {
      if (error instanceof BlobLostError) return { kind: 'gone', reason: error.message };
      if (error instanceof BlobUnreadableError) return { kind: 'unreadable', reason: error.message };
      throw error;
    } finally {
      await endReading();
    }
  }

  private async botsOf(poolId: string): Promise<readonly string[]> {
    return (await this.pools.bots(poolId)).map(({ sessionId }) => sessionId);
  }

  /** @returns what ends the reading, and deletes what nothing referred to any more meanwhile; it never rejects */
  private async hold(poolId: string, blobs: readonly Blob[]): Promise<(() => Promise<void>) | undefined> {
    const byId = new Map(blobs.map((blob) => [blob.id, blob]));
    const endReading = await this.reads.begin(new Set(byId.keys()));
    return (
      endReading &&
      (async () => {
        try {
          const freed = await endReading();
          await this.eraser.erase(
            poolId,
            [...byId.values()].filter(({ id }) => freed.has(id)),
          );
        } catch (error) {
          this.logger.warn(`a reading was not ended: ${messageOf(error)}`);
        }
      })
    );
  }

  private *sources(
    { poolId, bots, extents }: { poolId: string; bots: readonly string[]; extents: readonly Extent[] },
    from: number,
    to: number,
  ): Generator<Source, undefined> {
    let begin = 0;
    for (const { blob, offset, sizeBytes } of extents) {
      const end = begin + sizeBytes;
      if (end > from && begin < to) {
        const [first, behindLast] = [Math.max(from, begin), Math.min(to, end)];
        const stretch = { from: first - begin + offset, to: behindLast - begin + offset };
        const open = (): AsyncGenerator<Buffer, undefined> =>
          blob.sealHead === undefined
            ? this.piecesOf(blob, bots, stretch)
            : this.openedOf({ poolId, blob, head: blob.sealHead }, bots, stretch);
        yield { sizeBytes: behindLast - first, open };
      }
      begin = end;
    }
    return undefined;
  }

  /** Of an encrypted message. What it yields is authentic. */
  private async *openedOf(
    { poolId, blob, head }: { readonly poolId: string; readonly blob: Blob; readonly head: Buffer },
    bots: readonly string[],
    { from, to }: Stretch,
  ): AsyncGenerator<Buffer, undefined> {
    const key = await this.keys.of(poolId);
    const stretch = { from, to, of: plainBytesOf(blob) };
    try {
      yield* openStretch({ ...key, head }, stretch, this.piecesOf(blob, bots, sealedStretch(stretch)));
    } catch (error) {
      throw error instanceof MasterKeyMismatchError
        ? new BlobUnreadableError(blob.chatId, blob.messageId, error)
        : error;
    }
    return undefined;
  }

  /** The uploader first, whose TDLib knows the message; another bot goes on where one has broken off. */
  private async *piecesOf(blob: Blob, bots: readonly string[], stretch: Stretch): AsyncGenerator<Buffer, undefined> {
    const { to } = stretch;
    let at = stretch.from;
    const failures: unknown[] = [];
    const order = startingWith(bots, blob.uploaderId);
    // The first once more where it had begun: a download that waits ahead of a slow reader is ended after some minutes.
    for (const [index, bot] of [...order, ...order.slice(0, 1)].entries()) {
      if (index === order.length && at === stretch.from) break;
      try {
        const body = await this.open(bot, blob, { ...stretch, from: at });
        for await (const piece of body as AsyncIterable<Buffer>) {
          at += piece.length;
          notePassed(piece.length);
          yield piece;
        }
        if (at === to) return undefined;
        failures.push(new Error(`the message ended at ${at} of ${to}`));
      } catch (error) {
        failures.push(error);
      }
    }
    throw await this.failureOf(blob, failures);
  }

  private async findAny(bots: readonly string[], blob: Blob): Promise<void> {
    const failures: unknown[] = [];
    for (const bot of startingWith(bots, blob.uploaderId)) {
      try {
        await this.fileOf(bot, blob);
        return;
      } catch (error) {
        failures.push(error);
      }
    }
    throw await this.failureOf(blob, failures);
  }

  /** What of a message that no bot could read. One that may look into the chat knows whether it is there; others see nothing of it. */
  private async failureOf(blob: Blob, failures: readonly unknown[]): Promise<Error> {
    if (!failures.some(isGone)) return new BlobUnreadableError(blob.chatId, blob.messageId, failures.at(-1));
    await this.blobs.note(blob.id, 'lost', 'it is not in its chat any more');
    return new BlobLostError(blob.chatId, blob.messageId);
  }

  private async open(bot: string, blob: Blob, { from, to, isFresh = false }: Stretch): Promise<Readable> {
    const { chatId, messageId } = blob;
    const file = { kind: 'bot', id: bot, fileId: await this.fileOf(bot, blob) } as const;
    if (isFresh) await this.downloads.forget(file).catch(() => undefined);
    const { body } = await this.downloads.open({
      ...file,
      message: { chatId, messageId },
      headers: { range: `bytes=${from}-${to - 1}` },
      isHead: false,
    });
    if (body === undefined) throw new Error('the download has no bytes');
    return body;
  }

  /** TDLib's number, with this bot, of the file that the message has. @throws as BotCalls.call */
  private async fileOf(bot: string, { chatId, messageId, sizeBytes }: Blob): Promise<number> {
    const message = await this.bots.call(bot, 'getMessage', { chat_id: chatId, message_id: messageId });
    const file = documentOf(message);
    if (file?.size !== sizeBytes) throw new Error('the message has another document, or none');
    return file.id;
  }
}
