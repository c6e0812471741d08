/** What a worker may spend on opening sessions. */
export interface StartLimits {
  /** Resident memory of the process, in bytes, above which none is opened. */
  readonly memoryBytes: number;
  /** How many bots a second log in anew by themselves: they all would, after the loss of a disk. */
  readonly loginsPerSecond: number;
}

/** What a budget goes by. */
export interface StartGauge {
  /** Resident memory of the process, in bytes. */
  readonly memoryBytes: () => number;
  /** A clock in milliseconds that never goes back. */
  readonly now: () => number;
}

/** So many are opened at the same time, from their claim until they are connected. */
const AT_ONCE = 16;
/** What a session takes while it is opened, generously: what was begun shows in the memory only a while later. */
const SESSION_BYTES = 6 * 1024 * 1024;

/**
 * How fast a worker opens its sessions. All at once they would take their largest memory in the same moment, keep the processor from
 * calls, and have Telegram see hundreds of logins from one address.
 */
export class StartBudget {
  private starting = 0;
  private logins: number;
  private countedAt: number;

  constructor(
    private readonly limits: StartLimits,
    private readonly gauge: StartGauge,
  ) {
    this.logins = this.burst;
    this.countedAt = gauge.now();
  }

  /** How many more may be begun now. */
  get places(): number {
    return Math.max(0, Math.min(AT_ONCE - this.starting, this.memoryRoom));
  }

  /** How many of them may be bots that log in anew. */
  get loginsNow(): number {
    const now = this.gauge.now();
    this.logins = Math.min(this.burst, this.logins + ((now - this.countedAt) / 1_000) * this.limits.loginsPerSecond);
    this.countedAt = now;
    return Math.floor(this.logins);
  }

  /** What memory there is and may be, in words; undefined while memory is not what is missing. */
  get shortage(): string | undefined {
    if (this.starting > 0 || this.memoryRoom > 0) return undefined;
    return `${inMiB(this.gauge.memoryBytes())} in use, and WORKER_MEMORY is ${inMiB(this.limits.memoryBytes)}`;
  }

  /** One is begun. @param isLogin whether it is a bot that logs in anew */
  begin(isLogin: boolean): void {
    this.starting += 1;
    if (isLogin) this.logins -= 1;
  }

  /** One has come to rest: connected, failed, or given up waiting for. @returns whether there is room worth another look */
  end(): boolean {
    this.starting -= 1;
    return this.starting === AT_ONCE / 2;
  }

  private get memoryRoom(): number {
    const free = this.limits.memoryBytes - this.gauge.memoryBytes();
    return Math.floor(free / SESSION_BYTES) - this.starting;
  }

  private get burst(): number {
    return Math.max(1, this.limits.loginsPerSecond);
  }
}

function inMiB(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MiB`;
}
