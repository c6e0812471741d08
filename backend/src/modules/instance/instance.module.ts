import { type DynamicModule, Module } from '@nestjs/common';
import { InstanceGuard } from './instance-guard.js';

/** Which installation this is, and whether it may hold sessions. */
@Module({})
export class InstanceModule {
  static forWorker(): DynamicModule {
    return { module: InstanceModule, global: true, providers: [InstanceGuard], exports: [InstanceGuard] };
  }
}
