import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable } from '@nestjs/common';
import { DataSource, type EntityManager } from 'typeorm';

/** Transactions that follow the async context instead of parameters. */
@Injectable()
export class UnitOfWork {
  private readonly current = new AsyncLocalStorage<EntityManager>();

  constructor(private readonly dataSource: DataSource) {}

  /** The manager of the open transaction, or the plain one outside of any. */
  get manager(): EntityManager {
    return this.current.getStore() ?? this.dataSource.manager;
  }

  /**
   * Runs `work` in the open transaction, or in a new one that commits when it resolves and rolls back when it rejects.
   * Never call Telegram, HTTP or the file system in there: the transaction holds a connection and locks.
   */
  run<T>(work: () => Promise<T>): Promise<T> {
    if (this.current.getStore()) return work();
    return this.dataSource.transaction((manager) => this.current.run(manager, work));
  }

  /** Runs a statement of hand-written SQL and gives its rows, whether it reads or changes (`… RETURNING`). */
  async rows<Row extends object>(sql: string, parameters: readonly unknown[] = []): Promise<Row[]> {
    const answer: unknown = await this.manager.query(sql, [...parameters]);
    // TypeORM gives [rows, count] for UPDATE and DELETE, and rows alone for everything else.
    const isPair =
      Array.isArray(answer) && answer.length === 2 && Array.isArray(answer[0]) && typeof answer[1] === 'number';
    return (isPair ? answer[0] : answer) as Row[];
  }
}
