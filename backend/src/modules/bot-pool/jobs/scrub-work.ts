import { Injectable } from '@nestjs/common';
import { BlobReader, type Verdict } from '../blob-reader.js';
import { BlobsRepository, type KeptBlob } from '../blobs.repository.js';
import type { Finding, JobRow, JobStep, JobWork } from './job.js';

/** Messages of one portion. */
const PORTION = 16;
/** Messages that are read at the same time, through whichever bots. */
const AT_ONCE = 4;
/** Keys that a finding names. */
const KEYS = 10;

/**
 * Looks for messages that are not what was stored. Of a sample it reads the bytes and compares their SHA-256, of all others only whether
 * they are there with a document of the size. What it finds is marked, and so is what is well again.
 */
@Injectable()
export class ScrubWork implements JobWork {
  constructor(
    private readonly blobs: BlobsRepository,
    private readonly reader: BlobReader,
  ) {}

  total({ poolId }: JobRow): Promise<number> {
    return this.blobs.countKept(poolId);
  }

  async step({ poolId, order, cursor }: JobRow, signal: AbortSignal): Promise<JobStep> {
    const sample = order.kind === 'scrub' ? order.sample : 0;
    const blobs = await this.blobs.kept(poolId, cursor, PORTION);
    const counts: Record<string, number> = {};
    const findings: Finding[] = [];
    const count = (name: string, by = 1): void => void (counts[name] = (counts[name] ?? 0) + by);
    for (let at = 0; at < blobs.length; at += AT_ONCE) {
      const checked = blobs.slice(at, at + AT_ONCE).map(async (blob) => {
        const verdict = await this.reader.check(poolId, blob, { withBytes: Math.random() * 100 < sample, signal });
        count(verdict.kind);
        if (verdict.kind === 'whole') count('bytes', verdict.bytes);
        const finding = await this.mark(blob, verdict);
        if (finding !== undefined) findings.push(finding);
      });
      await Promise.all(checked);
      signal.throwIfAborted();
    }
    const isEnd = blobs.length < PORTION;
    return { cursor: blobs.at(-1)?.id, done: blobs.length, counts, findings, isEnd };
  }

  private async mark(blob: KeptBlob, verdict: Verdict): Promise<Finding | undefined> {
    switch (verdict.kind) {
      case 'released':
        return undefined;
      case 'whole':
        // One whose bytes are wrong is not well because it is there.
        if (blob.isLost && verdict.bytes > 0) await this.blobs.note(blob.id, 'stored');
        return undefined;
      case 'damaged':
        await this.blobs.note(blob.id, 'lost', verdict.reason);
        break;
      case 'gone':
      case 'unreadable':
        break;
      default:
        verdict satisfies never;
    }
    return {
      chat_id: blob.chatId,
      message_id: blob.messageId,
      problem: verdict.kind,
      reason: verdict.reason,
      keys: await this.blobs.keysOf(blob.id, KEYS),
    };
  }
}
