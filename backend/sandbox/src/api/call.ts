import type { RpcContext, RpcResult, Transport } from '../rpc.js';
import { RpcError } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import type { Account } from '../world/accounts.js';
import type { Origin } from '../world/listener.js';
import type { World } from '../world/world.js';

/** One call on its way through a handler. */
export class Call {
  constructor(
    readonly world: World,
    readonly transport: Transport,
    readonly context: RpcContext,
  ) {}

  /** Who is logged in. @throws RpcError `401 AUTH_KEY_UNREGISTERED` */
  get account(): Account {
    const { ownerId } = this.context.key;
    const account = ownerId === undefined ? undefined : this.world.accounts.find(ownerId);
    if (!account) throw new RpcError(401, 'AUTH_KEY_UNREGISTERED');
    return account;
  }

  /** Marks changes of this call, so that their push spares the caller. */
  get origin(): Origin {
    return { keyId: this.context.key.id, sessionId: this.context.sessionId };
  }
}

/** Answers one method. */
export type Method = (call: Call, query: TlObject) => RpcResult | Promise<RpcResult>;

/** The methods of one namespace by their full names. */
export type Methods = Readonly<Record<string, Method>>;
