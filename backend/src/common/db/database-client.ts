import pg from 'pg';
import { connectFailure } from './database-failure.js';

/** As pg declares it; the error is null when the connection stands. */
type Connected = ((error: Error) => void) | ((error: null, client: pg.Client) => void);

/**
 * A connection whose failure to open says that it is the database's: afterwards nobody could tell it from the failure of
 * any other socket.
 */
export class DatabaseClient extends pg.Client {
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
}
