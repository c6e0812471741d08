/** What a process takes of its machine. */
export interface Vitals {
  /** Resident, TDLib's part included. */
  readonly memoryBytes: number;
  /** Processors that it kept busy since the last look: 0.5 is half of one. */
  readonly load: number;
}

/** Measures this process from one look to the next. */
export class ProcessVitals {
  private cpu = process.cpuUsage();
  private at = performance.now();

  take(): Vitals {
    const now = performance.now();
    const { user, system } = process.cpuUsage(this.cpu);
    const load = (user + system) / 1_000 / Math.max(1, now - this.at);
    this.cpu = process.cpuUsage();
    this.at = now;
    return { memoryBytes: process.memoryUsage.rss(), load };
  }
}
