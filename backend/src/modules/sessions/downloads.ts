/** The most files remembered that somebody wants without waiting; the oldest go first. */
const MAX_WANTED = 10_000;

/**
 * Who waits for which file of a session. TDLib has one download a file, whoever asks for it: what one caller gives up must
 * not be taken from the others.
 */
export class Downloads {
  private readonly waiting = new Map<number, number>();
  private readonly wanted = new Set<number>();

  /**
   * Takes note of a call.
   * @returns for a download, what says that its caller waits no more, and tells whether nobody else wants the file
   */
  follow(method: string, params: Readonly<Record<string, unknown>>): (() => boolean) | undefined {
    const fileId = Number(params['file_id']);
    switch (method) {
      case 'downloadFile':
        if (params['synchronous'] !== true) this.want(fileId);
        return this.wait(fileId);
      case 'addFileToDownloads':
        this.want(fileId);
        return undefined;
      case 'cancelDownloadFile':
      case 'removeFileFromDownloads':
        this.wanted.delete(fileId);
        return undefined;
      default:
        return undefined;
    }
  }

  /** Whatever somebody waits for, or has asked for without waiting. */
  get fileIds(): readonly number[] {
    return [...new Set([...this.waiting.keys(), ...this.wanted])];
  }

  private wait(fileId: number): () => boolean {
    this.waiting.set(fileId, (this.waiting.get(fileId) ?? 0) + 1);
    let isOver = false;
    return () => {
      if (isOver) return false;
      isOver = true;
      const others = (this.waiting.get(fileId) ?? 1) - 1;
      if (others > 0) {
        this.waiting.set(fileId, others);
        return false;
      }
      this.waiting.delete(fileId);
      return !this.wanted.has(fileId);
    };
  }

  /** Asked for without waiting: TDLib goes on with it whoever leaves. */
  private want(fileId: number): void {
    this.wanted.add(fileId);
    if (this.wanted.size > MAX_WANTED) {
      const [oldest] = this.wanted;
      if (oldest !== undefined) this.wanted.delete(oldest);
    }
  }
}
