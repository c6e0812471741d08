import { UploadQuotaError } from './uploads.errors.js';

/** What counts against a quota. */
export interface LedgerEntry {
  readonly owner: string;
  readonly bytes: number;
  /** Unix milliseconds. */
  readonly createdAt: number;
}

/** The owner whose uploads only the quota for all limits. */
export const MASTER = 'master';

/** How much uploads take, or will take once they are whole: in total and by owner. Nothing here waits, so nothing comes between. */
export class UploadLedger {
  private readonly entries = new Map<string, LedgerEntry>();
  private readonly byOwner = new Map<string, number>();
  private total = 0;

  constructor(private readonly limits: { readonly totalBytes: number; readonly perTokenBytes: number }) {}

  has(id: string): boolean {
    return this.entries.has(id);
  }

  get ids(): readonly string[] {
    return [...this.entries.keys()];
  }

  get all(): readonly (readonly [id: string, entry: LedgerEntry])[] {
    return [...this.entries];
  }

  get totalBytes(): number {
    return this.total;
  }

  bytesOf(owner: string): number {
    return this.byOwner.get(owner) ?? 0;
  }

  /** Enters an upload, or its growth. @throws UploadQuotaError; then nothing has changed */
  reserve(id: string, entry: LedgerEntry): void {
    const { owner, bytes } = entry;
    const more = bytes - (this.entries.get(id)?.bytes ?? 0);
    if (this.total + more > this.limits.totalBytes) {
      throw new UploadQuotaError('total', this.limits.totalBytes);
    }
    if (owner !== MASTER && this.bytesOf(owner) + more > this.limits.perTokenBytes) {
      throw new UploadQuotaError('token', this.limits.perTokenBytes);
    }
    this.set(id, entry);
  }

  /** Enters what is there already, whatever the quotas say. */
  set(id: string, entry: LedgerEntry): void {
    this.remove(id);
    this.entries.set(id, entry);
    this.total += entry.bytes;
    this.byOwner.set(entry.owner, this.bytesOf(entry.owner) + entry.bytes);
  }

  remove(id: string): void {
    const entry = this.entries.get(id);
    if (entry === undefined) {
      return;
    }
    this.entries.delete(id);
    this.total -= entry.bytes;
    const left = this.bytesOf(entry.owner) - entry.bytes;
    if (left > 0) {
      this.byOwner.set(entry.owner, left);
    } else {
      this.byOwner.delete(entry.owner);
    }
  }
}
