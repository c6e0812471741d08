import pg from 'pg';

/**
 * One connection to PostgreSQL that shares nothing with the pool, for what must not wait behind other statements. It is made when
 * it is first needed, and anew after every failure, so that one that died without a word costs a single deadline.
 */
export class OwnConnection {
  private client: pg.Client | undefined;

  /**
   * @param timeoutMs how long each statement may take
   * @param connectMs how long connecting may take, which is several round trips and the start of a process
   */
  constructor(
    private readonly url: string,
    private readonly timeoutMs: number,
    private readonly connectMs = timeoutMs,
  ) {}

  /**
   * Runs one statement; one at a time.
   * @throws Error the driver's own, also when the deadline has passed
   */
  async rows<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const client = this.client ?? (await this.open());
    try {
      return (await client.query<Row>(sql, [...parameters])).rows;
    } catch (error) {
      await this.end();
      throw error;
    }
  }

  /** Closes it; the next statement opens another one. */
  end(): Promise<void> {
    const { client } = this;
    this.client = undefined;
    // Not awaited: a server that was cut off never says goodbye.
    client?.end().catch(() => undefined);
    return Promise.resolve();
  }

  private async open(): Promise<pg.Client> {
    const client = new pg.Client({
      connectionString: this.url,
      application_name: 'tgcontrol lease',
      connectionTimeoutMillis: this.connectMs,
      query_timeout: this.timeoutMs,
    });
    const forget = (): void => {
      if (this.client === client) this.client = undefined;
    };
    client.once('end', forget);
    client.on('error', forget);
    try {
      await client.connect();
    } catch (error) {
      client.end().catch(() => undefined);
      throw error;
    }
    this.client = client;
    return client;
  }
}
