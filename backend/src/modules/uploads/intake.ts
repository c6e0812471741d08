import type { Readable } from 'node:stream';

/** What {@link takeIn} is told. */
export interface IntakeOptions {
  /** Ends the intake; what has arrived is still written, and then its reason is thrown. */
  readonly signal: AbortSignal;
  /** How long nothing may come, in milliseconds. */
  readonly idleMs: number;
  /** The error for a source that is silent for longer. */
  readonly onIdle: () => Error;
  /** The error for a source that breaks off. */
  readonly onCut: (cause: unknown) => Error;
}

/** So much may wait for the disk before the source is asked to pause, in bytes: what one intake holds in memory. */
const HIGH_WATER_BYTES = 1024 * 1024;

/**
 * Writes a source piece by piece, in order, never more than one piece at a time: while one is written the next gathers.
 * However it ends, everything that has arrived was handed to `write` before this settles.
 * @param write throws to end the intake
 * @throws what `write` throws, the signal's reason, or the errors of the options
 */
export function takeIn(
  source: Readable,
  write: (pieces: readonly Buffer[]) => Promise<void>,
  { signal, idleMs, onIdle, onCut }: IntakeOptions,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let gathered: Buffer[] = [];
    let gatheredBytes = 0;
    let isWriting = false;
    let isOver = false;
    let failure: unknown;

    const settleOrWrite = (): void => {
      if (isWriting) return;
      if (gatheredBytes > 0) {
        const pieces = gathered;
        gathered = [];
        gatheredBytes = 0;
        isWriting = true;
        if (!isOver) source.resume();
        write(pieces).then(
          () => {
            isWriting = false;
            settleOrWrite();
          },
          (error: unknown) => {
            isWriting = false;
            gathered = [];
            gatheredBytes = 0;
            finish(error);
            failure ??= error;
            settleOrWrite();
          },
        );
      } else if (isOver) {
        if (failure === undefined) resolve();
        else reject(failure instanceof Error ? failure : new Error('the intake failed', { cause: failure }));
      }
    };
    const finish = (error?: unknown): void => {
      if (isOver) return;
      isOver = true;
      failure = error;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      source.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose);
      // An error that comes later is nobody's.
      source.on('error', () => undefined);
      settleOrWrite();
    };
    const onData = (piece: Buffer): void => {
      timer.refresh();
      gathered.push(piece);
      gatheredBytes += piece.length;
      if (gatheredBytes >= HIGH_WATER_BYTES) source.pause();
      settleOrWrite();
    };
    const onEnd = (): void => finish();
    const onError = (error: Error): void => finish(onCut(error));
    const onClose = (): void => finish(onCut(undefined));
    const onAbort = (): void => {
      source.pause();
      finish(signal.reason);
    };
    const timer = setTimeout(() => {
      // Nothing comes because we have asked for nothing: the disk is what is slow.
      if (isWriting || gatheredBytes > 0) timer.refresh();
      else {
        source.pause();
        finish(onIdle());
      }
    }, idleMs);

    if (signal.aborted) {
      onAbort();
    } else if (source.destroyed && !source.readableEnded) {
      onClose();
    } else {
      signal.addEventListener('abort', onAbort, { once: true });
      source.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose);
    }
  });
}
