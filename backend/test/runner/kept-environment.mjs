import { TestEnvironment } from 'jest-environment-node';

/** Where jest keeps, on the global object, what one test file has set for itself. */
const OF_ONE_FILE = ['EVENT_HANDLERS', 'TEST_TIMEOUT_SYMBOL', 'RETRY_TIMES', 'RETRY_IMMEDIATELY', 'WAIT_BEFORE_RETRY'];

/**
 * jest's own environment, but one for all test files of a worker: what kept-runtime.mjs keeps loaded was loaded in it.
 *
 * After each file it is given back as it was: real timers, no handlers and no time limits of that file.
 */
export default class KeptEnvironment extends TestEnvironment {
  static #kept;
  #exit;

  constructor(...from) {
    if (KeptEnvironment.#kept) return KeptEnvironment.#kept;
    super(...from);
    this.#exit = this.global.process.exit;
    KeptEnvironment.#kept = this;
  }

  async teardown() {
    this.fakeTimers.useRealTimers();
    this.fakeTimersModern.useRealTimers();
    // jest wraps it for each file.
    this.global.process.exit = this.#exit;
    for (const name of OF_ONE_FILE) Reflect.deleteProperty(this.global, Symbol.for(name));
  }
}
