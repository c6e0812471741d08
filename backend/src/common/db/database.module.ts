import { type DynamicModule, Inject, Module } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { AppConfig } from '../../config/index.js';
import { SecretBox } from '../crypto/secret-box.js';
import { HealthModule } from '../health/health.module.js';
import { Readiness } from '../health/readiness.js';
import { KeyCheckEntity } from './key-check.entity.js';
import { createDataSource, prepareDatabase, type Schema } from './database.js';
import { Notifications } from './notifications.js';
import { DatabaseClock } from './database-clock.js';
import { requireSameTime } from './same-time.js';
import { UnitOfWork } from './unit-of-work.js';

/** Connects to PostgreSQL and migrates it before anything else starts; who made the application closes it. */
@Module({})
export class DatabaseModule {
  constructor(@Inject(DataSource) dataSource: DataSource, readiness: Readiness) {
    readiness.check('database', async () => {
      await dataSource.query('SELECT 1');
    });
    readiness.check('clock', async () => {
      const asked = Date.now();
      const [row] = await dataSource.query<{ now: number }[]>(
        'SELECT (extract(epoch FROM clock_timestamp()) * 1000)::float AS now',
      );
      requireSameTime((asked + Date.now()) / 2, row?.now ?? NaN);
    });
    readiness.check('migrations', async () => {
      if (await dataSource.showMigrations()) throw new Error('migrations are pending');
    });
  }

  static forRoot(schema: Schema): DynamicModule {
    return {
      module: DatabaseModule,
      global: true,
      imports: [HealthModule],
      providers: [
        {
          provide: DataSource,
          inject: [AppConfig, { token: SecretBox, optional: true }],
          useFactory: async (config: AppConfig, box?: SecretBox) => {
            if (config.databaseUrl === undefined) throw new Error('there is no database URL');
            const dataSource = createDataSource(config.databaseUrl, {
              ...schema,
              entities: [KeyCheckEntity, ...schema.entities],
            });
            await dataSource.initialize();
            try {
              await prepareDatabase(dataSource, box);
            } catch (error) {
              await dataSource.destroy();
              throw error;
            }
            return dataSource;
          },
        },
        UnitOfWork,
        DatabaseClock,
        Notifications,
      ],
      exports: [DataSource, UnitOfWork, DatabaseClock, Notifications],
    };
  }
}
