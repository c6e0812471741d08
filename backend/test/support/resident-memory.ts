import { readFileSync } from 'node:fs';

const SAMPLE_MS = 50;

/** How much memory a process holds, in bytes, as Linux counts it. */
function residentBytes(pid: number): number {
  const [, kibibytes] = /^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kibibytes) * 1024;
}

/** What a process has held at most since its start, and its share of it now, pages shared with others split; in MiB. */
export function memoryOf(pid: number): { readonly peakMiB: number; readonly pssMiB: number } {
  const [, peak] = /^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  const [, pss] = /^Pss:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return { peakMiB: Number(peak) / 1_024, pssMiB: Number(pss) / 1_024 };
}

/** Watches by how much the memory of processes grows. */
export class ResidentMemory {
  private readonly before = new Map<number, number>();
  private readonly most = new Map<number, number>();
  private readonly timer: NodeJS.Timeout;

  constructor(pids: readonly number[]) {
    for (const pid of pids) this.before.set(pid, residentBytes(pid));
    this.timer = setInterval(() => this.look(), SAMPLE_MS);
  }

  /** @returns the growth of each process at its largest, in bytes, in the order given */
  stop(): readonly number[] {
    clearInterval(this.timer);
    this.look();
    return [...this.before].map(([pid, bytes]) => (this.most.get(pid) ?? bytes) - bytes);
  }

  private look(): void {
    for (const pid of this.before.keys()) this.most.set(pid, Math.max(this.most.get(pid) ?? 0, residentBytes(pid)));
  }
}
