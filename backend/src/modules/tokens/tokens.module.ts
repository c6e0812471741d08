import { type DynamicModule, Module } from '@nestjs/common';
import { APP_GUARD } from '@nestjs/core';
import { AccessGuard } from './access.guard.js';
import { Authenticator } from './authenticator.js';
import { ConsoleSessionController } from './console-session.controller.js';
import { EventTickets } from './event-tickets.js';
import { MeController } from './me.controller.js';
import { ScopedTokens } from './scoped-tokens.js';
import { PoolCoverage } from './pool-coverage.js';
import { SessionCoverage } from './session-coverage.js';
import { TokenUsage } from './token-usage.js';
import { TokensController } from './tokens.controller.js';
import { TokensRepository } from './tokens.repository.js';
import { TokensService } from './tokens.service.js';

/** Who may use what. The guard stands before every route of every role. */
@Module({ providers: [Authenticator, { provide: APP_GUARD, useClass: AccessGuard }], exports: [Authenticator] })
export class TokensModule {
  /** With scoped tokens and the console's sign-in. */
  static forGateway(): DynamicModule {
    return {
      module: TokensModule,
      global: true,
      controllers: [ConsoleSessionController, MeController, TokensController],
      providers: [
        EventTickets,
        PoolCoverage,
        ScopedTokens,
        SessionCoverage,
        TokenUsage,
        TokensRepository,
        TokensService,
      ],
      exports: [EventTickets, PoolCoverage, ScopedTokens, SessionCoverage, TokenUsage],
    };
  }

  /** Only the guard, which lets gateways in. */
  static forWorker(): DynamicModule {
    return { module: TokensModule };
  }
}
