import { Injectable } from '@nestjs/common';
import { messageOf } from '../errors/index.js';
import { toAppError } from '../http/describe.js';

const CHECK_TIMEOUT_MS = 3000;

/** Resolves when its part can serve, rejects with the cause when it cannot. */
export type ReadinessCheck = () => Promise<void> | void;

/** What must work before this process should get traffic. Modules add their own checks while they start. */
@Injectable()
export class Readiness {
  private readonly checks = new Map<string, ReadinessCheck>();

  /** @param name stands in the answer of /readyz: `database`, `lease`, `tdlib`, … */
  check(name: string, check: ReadinessCheck): void {
    this.checks.set(name, check);
  }

  /** The names of all checks. */
  get names(): readonly string[] {
    return [...this.checks.keys()];
  }

  /** The causes of what does not work, by name; empty when everything does. Never longer than 3 s. */
  async causes(): Promise<Record<string, string>> {
    const results = await Promise.all(
      [...this.checks].map(async ([name, check]): Promise<[string, string] | undefined> => {
        let timer: NodeJS.Timeout | undefined;
        try {
          await Promise.race([
            Promise.resolve().then(check),
            new Promise<never>((_, reject) => {
              timer = setTimeout(
                () => reject(new Error(`no answer within ${CHECK_TIMEOUT_MS / 1000} s`)),
                CHECK_TIMEOUT_MS,
              );
            }),
          ]);
          return undefined;
        } catch (error) {
          const named = toAppError(error);
          return [name, named.code === 'internal_error' ? messageOf(error) : named.message];
        } finally {
          clearTimeout(timer);
        }
      }),
    );
    return Object.fromEntries(results.filter((result) => result !== undefined));
  }
}
