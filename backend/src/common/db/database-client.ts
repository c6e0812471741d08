import pg from 'pg';
import { connectFailure } from './database-failure.js';

/** As pg declares it; the error is null when the connection stands. */
type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/** What pg says of a query that was not answered within `query_timeout`; it has no code of its own. */
const NOT_ANSWERED = 'Query read timeout';

/**
 * A connection whose failure to open says that it is the database's: afterwards nobody could tell it from the failure of
 * any other socket. One that has left a query without an answer is closed: what is at its other end may be gone without a word, and
 * a pool would give it to one caller after another. One that is cut while nobody listens, as between a pool and who has asked it, ends
 * no process: the next query fails.
 */
export class DatabaseClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config);
    const ask = this.query.bind(this) as (...of: unknown[]) => unknown;
    const watched = (...of: unknown[]): unknown => {
      const answer = ask(...of);
      if (answer instanceof Promise) answer.catch((error: unknown) => this.leaveIfSilent(error));
      return answer;
    };
    this.query = watched as typeof this.query;
    this.on('error', () => undefined);
  }

  override connect(): Promise<pg.Client>;
  override connect(callback: Connected): void;
  override connect(callback?: Connected): Promise<pg.Client> | undefined {
    if (!callback) {
      return super.connect().catch((error: unknown) => {
        throw error instanceof Error ? connectFailure(error) : error;
      });
    }
    const tell = callback as (error: Error | null, client: pg.Client) => void;
    super.connect((error: Error | null) => tell(error && connectFailure(error), this));
    return undefined;
  }

  private leaveIfSilent(error: unknown): void {
    if (!(error instanceof Error) || error.message !== NOT_ANSWERED) return;
    // A pool takes back nothing that is ending; the goodbye itself would wait for an answer.
    this.end().catch(() => undefined);
    this.connection.stream.destroy();
  }
}
