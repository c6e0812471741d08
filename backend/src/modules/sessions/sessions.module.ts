import { type DynamicModule, Module, type Provider } from '@nestjs/common';
import { CallLines } from '../../common/cluster/index.js';
import { AppLogger } from '../../common/log/app-logger.js';
import { AppConfig } from '../../config/index.js';
import { TelegramEngine } from '../../telegram/index.js';
import { CallDispatcher } from './call-dispatcher.js';
import { ExecuteController, ExecuteInternalController } from './execute.controller.js';
import { Executor, GatewayExecutor } from './executor.js';
import { HeldSessions } from './held-sessions.js';
import { SessionLimitsController } from './limits/session-limits.controller.js';
import { SessionLimitsService } from './limits/session-limits.service.js';
import { StoredLimits } from './limits/stored-limits.js';
import { LocalLogins } from './local-logins.js';
import { LocalSessionHost } from './local-session-host.js';
import { RemoteSessionHost } from './remote-session-host.js';
import { LocalSends } from './sends/local-sends.js';
import { RemoteSends } from './sends/remote-sends.js';
import { SendOutcomes } from './sends/send-outcomes.js';
import { SendSweep } from './sends/send-sweep.js';
import { SendTracker } from './sends/send-tracker.js';
import { SendsController, SendsInternalController } from './sends/sends.controller.js';
import { SendsRepository } from './sends/sends.repository.js';
import { Sends } from './sends/sends.js';
import { TrackedCalls } from './sends/tracked-calls.js';
import { SessionCalls } from './session-calls.js';
import { SessionDirectories } from './session-directories.js';
import { SessionHost } from './session-host.js';
import { SessionLookup } from './session-lookup.js';
import { SessionMoves } from './session-moves.js';
import { SessionOpener } from './session-opener.js';
import { OpenSessions } from './open-sessions.js';
import { SessionReconciler } from './session-reconciler.js';
import { SessionRoutes } from './session-routes.js';
import { SessionTaps } from './session-taps.js';
import { SessionUpdates } from './session-updates.js';
import { SessionsController } from './sessions.controller.js';
import { SessionsInternalController } from './sessions-internal.controller.js';
import { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';
import { StateKeeper } from './state-keeper.js';
import { TokenCheckController } from './token-check.controller.js';

/** Whether the library that cannot connect around a proxy is loaded: asked when the library is first needed. */
async function wantsProxyOnly({ telegram, isWorker }: AppConfig, repository: SessionsRepository): Promise<boolean> {
  if (telegram.proxyOnly !== 'auto') {
    return telegram.proxyOnly === 'true';
  }
  // A gateway has no sessions, it only executes what needs no network.
  return isWorker && (telegram.defaultProxy !== undefined || (await repository.anyHasProxy()));
}

const ENGINE: Provider = {
  provide: TelegramEngine,
  inject: [AppConfig, SessionsRepository, AppLogger],
  useFactory: (config: AppConfig, repository: SessionsRepository, logger: AppLogger) =>
    new TelegramEngine(
      {
        libraryPath: config.telegram.libraryPath,
        dataDir: config.dataDir,
        proxyOnly: () => wantsProxyOnly(config, repository),
      },
      logger,
    ),
};

const LOCAL_HOST: Provider[] = [
  SessionDirectories,
  SessionLookup,
  SessionUpdates,
  SessionTaps,
  SessionOpener,
  HeldSessions,
  OpenSessions,
  SessionMoves,
  LocalLogins,
  StoredLimits,
  CallDispatcher,
  LocalSessionHost,
  { provide: SessionHost, useExisting: LocalSessionHost },
  SessionReconciler,
  StateKeeper,
  SendsRepository,
  SendOutcomes,
  SendTracker,
  SendSweep,
  TrackedCalls,
  LocalSends,
  { provide: Sends, useExisting: LocalSends },
];

/** Sessions: their registry, their logins, and the calls on them. */
@Module({})
export class SessionsModule {
  static forGateway(): DynamicModule {
    return {
      module: SessionsModule,
      global: true,
      controllers: [
        SessionLimitsController,
        SessionsController,
        SendsController,
        ExecuteController,
        TokenCheckController,
      ],
      providers: [
        SessionsRepository,
        SessionsService,
        SessionLimitsService,
        StoredLimits,
        SessionRoutes,
        ENGINE,
        { provide: Executor, useClass: GatewayExecutor },
        { provide: SessionHost, useClass: RemoteSessionHost },
        SendsRepository,
        { provide: Sends, useClass: RemoteSends },
      ],
      exports: [SessionsService, SessionHost, SessionRoutes],
    };
  }

  static forWorker(): DynamicModule {
    return {
      module: SessionsModule,
      global: true,
      controllers: [SessionsInternalController, SendsInternalController, ExecuteInternalController],
      providers: [SessionsRepository, SessionRoutes, ENGINE, Executor, ...LOCAL_HOST, CallLines, SessionCalls],
      exports: [SessionHost, SessionRoutes, OpenSessions, SendOutcomes, SessionTaps, TelegramEngine, CallLines],
    };
  }

  static forAll(): DynamicModule {
    return {
      module: SessionsModule,
      global: true,
      controllers: [
        SessionLimitsController,
        SessionsController,
        SendsController,
        ExecuteController,
        TokenCheckController,
      ],
      providers: [SessionsRepository, SessionsService, SessionLimitsService, ENGINE, Executor, ...LOCAL_HOST],
      exports: [SessionsService, SessionHost, OpenSessions, SendOutcomes, SessionTaps, TelegramEngine],
    };
  }
}
