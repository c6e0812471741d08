import { Injectable } from '@nestjs/common';
import { type WorkerAddress, WorkerClient, type WorkerRequest } from '../../common/cluster/index.js';
import { NotFoundError, WorkerUnreachableError } from '../../common/errors/index.js';
import type { RawEnvelope } from '../../common/http/index.js';
import { IDEMPOTENCY_KEY, IDEMPOTENT_REPLAYED } from '../../common/idempotency/index.js';
import { CallAbandonedError, type Departure } from '../../telegram/index.js';
import type {
  BotCreatedDto,
  CallBody,
  CreateBotDto,
  CreateUserDto,
  LiveState,
  SessionKind,
  UserCreatedDto,
} from './session.dto.js';
import type { CallOptions } from './sends/call-options.js';
import { type LoginStep, type Relogin, SessionHost } from './session-host.js';
import type { LiveLimits } from './limits/session-limits.dto.js';
import { StoredLimits } from './limits/stored-limits.js';
import { MovingCalls } from './moving-calls.js';
import { SessionRoutes } from './session-routes.js';

/** A call may take as long as TDLib sits out floods, plus the way there and back. */
const CALL_TIMEOUT_MS = 75_000;
const WAY_MS = 5_000;
/** What a worker knows without asking Telegram. */
const LOOK_TIMEOUT_MS = 5_000;
/** Logins wait for Telegram's verdict and then for what comes after it. */
const LOGIN_TIMEOUT_MS = 50_000;

/** The sessions of a gateway: each request goes to the worker that holds the session. */
@Injectable()
export class RemoteSessionHost extends SessionHost {
  private readonly moving: MovingCalls;

  constructor(
    private readonly workers: WorkerClient,
    private readonly routes: SessionRoutes,
    private readonly storedLimits: StoredLimits,
  ) {
    super();
    this.moving = new MovingCalls(routes);
  }

  override createBot(bot: CreateBotDto): Promise<BotCreatedDto> {
    return this.workers.requestAny({
      method: 'POST',
      path: '/internal/sessions/bot',
      body: bot,
      timeoutMs: LOGIN_TIMEOUT_MS,
    });
  }

  override createUser(user: CreateUserDto): Promise<UserCreatedDto> {
    return this.workers.requestAny({
      method: 'POST',
      path: '/internal/sessions/user',
      body: user,
      timeoutMs: LOGIN_TIMEOUT_MS,
    });
  }

  override login(id: string, how: Relogin): Promise<LiveState> {
    return this.atOwnerOrAny(id, {
      method: 'POST',
      path: `/internal/sessions/${id}/relogin`,
      body: how,
      timeoutMs: LOGIN_TIMEOUT_MS,
    });
  }

  override async answer(id: string, step: LoginStep): Promise<LiveState> {
    const owner = await this.routes.ownerOf(id);
    return this.watched(id, () =>
      this.workers.request(owner, {
        method: 'POST',
        path: `/internal/sessions/${id}/login`,
        body: step,
        timeoutMs: LOGIN_TIMEOUT_MS,
      }),
    );
  }

  override async cancelLogin(id: string): Promise<void> {
    const owner = await this.routes.ownerOf(id);
    try {
      await this.watched(id, () =>
        this.workers.request(owner, {
          method: 'DELETE',
          path: `/internal/sessions/${id}/login`,
          timeoutMs: LOGIN_TIMEOUT_MS,
        }),
      );
    } finally {
      this.routes.forget(id);
    }
  }

  override async state(id: string): Promise<LiveState | undefined> {
    const owner = (await this.routes.find(id))?.owner;
    if (owner === undefined) {
      return undefined;
    }
    const state = await this.watched(id, () =>
      this.workers.request<LiveState | null>(owner, {
        method: 'GET',
        path: `/internal/sessions/${id}`,
        timeoutMs: LOOK_TIMEOUT_MS,
      }),
    );
    return state ?? undefined;
  }

  override async limits(id: string): Promise<LiveLimits | undefined> {
    const owner = (await this.routes.find(id))?.owner;
    if (owner === undefined) {
      return undefined;
    }
    const limits = await this.watched(id, () =>
      this.workers.request<LiveLimits | null>(owner, {
        method: 'GET',
        path: `/internal/sessions/${id}/limits`,
        timeoutMs: LOOK_TIMEOUT_MS,
      }),
    );
    return limits ?? undefined;
  }

  override async liftCooldown(id: string, scope: string): Promise<boolean> {
    const owner = (await this.routes.find(id))?.owner;
    if (owner === undefined) {
      return this.storedLimits.lift(id, scope);
    }
    return this.watched(id, () =>
      this.workers.request<boolean>(owner, {
        method: 'DELETE',
        path: `/internal/sessions/${id}/cooldowns/${encodeURIComponent(scope)}`,
      }),
    );
  }

  override async call(
    kind: SessionKind,
    id: string,
    body: CallBody,
    caller?: Departure,
    options?: CallOptions,
  ): Promise<RawEnvelope> {
    return this.moving.run({
      kind,
      sessionId: id,
      caller,
      send: (owner) => this.forward(owner, kind, id, body, caller, options),
    });
  }

  override async check(kind: SessionKind, id: string, body: CallBody): Promise<void> {
    const owner = await this.routes.ownerOf(id, kind);
    const path = `/internal/sessions/${kind}/${id}/check`;
    await this.watched(id, () => this.workers.request(owner, { method: 'POST', path, body }));
  }

  private async forward(
    owner: WorkerAddress,
    kind: SessionKind,
    id: string,
    body: CallBody,
    caller: Departure | undefined,
    options: CallOptions | undefined,
  ): Promise<RawEnvelope> {
    const path = `/internal/sessions/${kind}/${id}/call`;
    const onAbort = caller && ((abort: () => void) => caller.notify(abort));
    try {
      if (options === undefined) {
        return await this.workers.call(owner, {
          path,
          kind,
          sessionId: id,
          body,
          timeoutMs: CALL_TIMEOUT_MS,
          ...(onAbort && { onAbort }),
        });
      }
      return await this.workers.forward(owner, {
        method: 'POST',
        body,
        ...forwarded(path, options),
        ...(onAbort && { onAbort }),
      });
    } catch (error) {
      if (caller?.left === true) {
        throw new CallAbandonedError();
      }
      this.noteFailure(id, error);
      throw error;
    }
  }

  override async useProxy(id: string, proxyId: string | null): Promise<void> {
    await this.atOwnerOrAny(id, {
      method: 'PATCH',
      path: `/internal/sessions/${id}/proxy`,
      body: { proxy_id: proxyId },
    });
  }

  override stop(id: string): Promise<LiveState> {
    return this.atOwnerOrAny(id, { method: 'POST', path: `/internal/sessions/${id}/stop` });
  }

  override start(id: string): Promise<LiveState> {
    return this.atOwnerOrAny(id, {
      method: 'POST',
      path: `/internal/sessions/${id}/start`,
      timeoutMs: LOGIN_TIMEOUT_MS,
    });
  }

  override async move(id: string, to: string | undefined): Promise<string> {
    const owner = await this.routes.ownerOf(id);
    try {
      return await this.watched(id, () =>
        this.workers.request<string>(owner, {
          method: 'POST',
          path: `/internal/sessions/${id}/move`,
          body: { worker_id: to },
        }),
      );
    } finally {
      this.routes.forget(id);
    }
  }

  override async remove(id: string, logout: boolean): Promise<boolean> {
    const removed = await this.atOwnerOrAny<{ logged_out: boolean }>(id, {
      method: 'DELETE',
      path: `/internal/sessions/${id}?logout=${logout}`,
      timeoutMs: LOGIN_TIMEOUT_MS,
    });
    return removed.logged_out;
  }

  private async atOwnerOrAny<Result>(id: string, request: Parameters<WorkerClient['requestAny']>[0]): Promise<Result> {
    const route = await this.routes.find(id);
    if (route === undefined) {
      throw new NotFoundError('session', id);
    }
    const { owner } = route;
    try {
      return await this.watched(id, () =>
        owner === undefined ? this.workers.requestAny<Result>(request) : this.workers.request<Result>(owner, request),
      );
    } finally {
      this.routes.forget(id);
    }
  }

  private async watched<Result>(id: string, send: () => Promise<Result>): Promise<Result> {
    try {
      return await send();
    } catch (error) {
      this.noteFailure(id, error);
      throw error;
    }
  }

  private noteFailure(id: string, error: unknown): void {
    if (error instanceof WorkerUnreachableError) {
      this.routes.forget(id);
    }
  }
}

/** What a call asks for beside its method, as the worker takes it. */
function forwarded(
  path: string,
  { waitMs, timeoutMs, key, onReplayed }: CallOptions,
): Pick<WorkerRequest, 'path'> & Partial<WorkerRequest> {
  const query = new URLSearchParams({
    ...(waitMs !== undefined && { wait: String(waitMs / 1_000) }),
    ...(timeoutMs !== undefined && { timeout: String(timeoutMs / 1_000) }),
  }).toString();
  return {
    path: query === '' ? path : `${path}?${query}`,
    timeoutMs: (timeoutMs === undefined ? CALL_TIMEOUT_MS : timeoutMs + WAY_MS) + (waitMs ?? 0),
    ...(key !== undefined && { headers: { [IDEMPOTENCY_KEY]: key } }),
    onHeaders: (headers) => {
      if (headers[IDEMPOTENT_REPLAYED] !== undefined) {
        onReplayed();
      }
    },
  };
}
