import {
  RpcError,
  type Clock,
  type FaultGate,
  type FaultVerdict,
  type RpcContext,
  type RpcHandler,
  type RpcObserver,
  type RpcOutcome,
  type RpcResult,
  type TlObject,
} from '../src/rpc.js';
import { stringOf } from '../src/schema/tl-object.js';

/** One call as the stub saw it. */
export interface SeenCall {
  readonly context: RpcContext;
  readonly query: TlObject;
}

/** The least API a bot needs, so that transport suites do not depend on the real one. */
export class StubApi implements RpcHandler, FaultGate, RpcObserver, Clock {
  /** Calls that reached the handler, in order. */
  readonly calls: SeenCall[] = [];
  readonly outcomes: { readonly query: TlObject; readonly outcome: RpcOutcome }[] = [];
  /** Answers of methods that are not built in. */
  readonly answers = new Map<string, (context: RpcContext, query: TlObject) => RpcResult | Promise<RpcResult>>();
  /** Applied once to the next call of the method. */
  readonly faults = new Map<string, FaultVerdict>();
  offsetMs = 0;
  /** How many main sessions clients are told to open. */
  mainSessions = 1;

  now(): number {
    return Date.now() + this.offsetMs;
  }

  decide(_context: RpcContext, query: TlObject): FaultVerdict | undefined {
    const verdict = this.faults.get(query._);
    this.faults.delete(query._);
    return verdict;
  }

  finished(_context: RpcContext, query: TlObject, outcome: RpcOutcome): void {
    this.outcomes.push({ query, outcome });
  }

  callsOf(method: string): SeenCall[] {
    return this.calls.filter(({ query }) => query._ === method);
  }

  call(context: RpcContext, query: TlObject): RpcResult | Promise<RpcResult> {
    this.calls.push({ context, query });
    const answer = this.answers.get(query._);
    if (answer) return answer(context, query);
    switch (query._) {
      case 'help.getConfig':
        return this.config(context);
      case 'help.getNearestDc':
        return { _: 'nearestDc', country: 'US', this_dc: context.dc, nearest_dc: context.dc };
      case 'auth.importBotAuthorization':
        return this.logIn(context, stringOf(query, 'bot_auth_token'));
      case 'updates.getState':
        return { _: 'updates.state', pts: 1, qts: 0, date: this.seconds(), seq: 0, unread_count: 0 };
      case 'updates.getDifference':
        return { _: 'updates.differenceEmpty', date: this.seconds(), seq: 0 };
      case 'bots.setBotCommands':
        return true;
      case 'auth.logOut':
        context.key.ownerId = undefined;
        return { _: 'auth.loggedOut' };
      default:
        throw new RpcError(400, 'METHOD_NOT_IMPLEMENTED');
    }
  }

  private seconds(): number {
    return Math.floor(this.now() / 1000);
  }

  private logIn(context: RpcContext, token: string): TlObject {
    const id = Number.parseInt(token, 10);
    if (!Number.isInteger(id)) throw new RpcError(400, 'ACCESS_TOKEN_INVALID');
    context.key.ownerId = id;
    return {
      _: 'auth.authorization',
      ...(this.mainSessions > 1 && { tmp_sessions: this.mainSessions }),
      user: {
        _: 'user',
        self: true,
        bot: true,
        id,
        access_hash: 1n,
        first_name: 'Stub',
        username: 'stub_bot',
        bot_info_version: 1,
      },
    };
  }

  private config(context: RpcContext): TlObject {
    return {
      _: 'config',
      date: this.seconds(),
      expires: this.seconds() + 3600,
      test_mode: context.testMode,
      this_dc: context.dc,
      dc_options: [],
      dc_txt_domain_name: 'invalid',
      chat_size_max: 200,
      megagroup_size_max: 200_000,
      forwarded_count_max: 100,
      online_update_period_ms: 210_000,
      offline_blur_timeout_ms: 5000,
      offline_idle_timeout_ms: 30_000,
      online_cloud_timeout_ms: 300_000,
      notify_cloud_delay_ms: 30_000,
      notify_default_delay_ms: 1500,
      push_chat_period_ms: 60_000,
      push_chat_limit: 2,
      edit_time_limit: 172_800,
      revoke_time_limit: 2_147_483_647,
      revoke_pm_time_limit: 2_147_483_647,
      rating_e_decay: 2_419_200,
      stickers_recent_limit: 200,
      channels_read_media_period: 604_800,
      call_receive_timeout_ms: 20_000,
      call_ring_timeout_ms: 90_000,
      call_connect_timeout_ms: 30_000,
      call_packet_timeout_ms: 10_000,
      me_url_prefix: 'https://t.me/',
      caption_length_max: 1024,
      message_length_max: 4096,
      webfile_dc_id: context.dc,
      ...(this.mainSessions > 1 && { tmp_sessions: this.mainSessions }),
    };
  }
}
