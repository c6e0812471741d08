import type { RpcContext, RpcHandler, RpcResult, Transport } from '../rpc.js';
import { RpcError } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import { methodMatches } from '../world/call-info.js';
import { NOT_IMPLEMENTED } from '../world/journal.js';
import type { World } from '../world/world.js';
import type { Method } from './call.js';
import { Call } from './call.js';
import { Feed } from './feed.js';
import { accountMethods } from './methods/account.js';
import { authMethods } from './methods/auth.js';
import { channelsMethods } from './methods/channels.js';
import { chatsMethods } from './methods/chats.js';
import { contactsMethods } from './methods/contacts.js';
import { helpMethods } from './methods/help.js';
import { historyMethods } from './methods/history.js';
import { invitesMethods } from './methods/invites.js';
import { participantsMethods } from './methods/participants.js';
import { reactionsMethods } from './methods/reactions.js';
import { revisingMethods } from './methods/revising.js';
import { sendingMethods } from './methods/sending.js';
import { updatesMethods } from './methods/updates.js';
import { uploadMethods } from './methods/upload.js';
import { usersMethods } from './methods/users.js';

const METHODS: ReadonlyMap<string, Method> = new Map(
  Object.entries({
    ...accountMethods,
    ...authMethods,
    ...channelsMethods,
    ...chatsMethods,
    ...contactsMethods,
    ...helpMethods,
    ...historyMethods,
    ...invitesMethods,
    ...participantsMethods,
    ...reactionsMethods,
    ...revisingMethods,
    ...sendingMethods,
    ...updatesMethods,
    ...uploadMethods,
    ...usersMethods,
  }),
);

/** Methods that need no login (https://core.telegram.org/api/auth); `help.*` and `auth.*` beside those listed below. */
const WITHOUT_LOGIN: readonly string[] = [
  'help.*',
  'auth.*',
  'account.getPassword',
  'account.sendVerifyEmailCode',
  'account.verifyEmail',
];
const NEEDS_LOGIN: readonly string[] = ['auth.resetAuthorizations', 'auth.acceptLoginToken'];

/** What a frozen account may not do (https://core.telegram.org/api/auth#frozen-accounts): whatever others would see. */
const FORBIDDEN_WHILE_FROZEN: readonly string[] = [
  'send',
  'messages.editMessage',
  'messages.sendReaction',
  'messages.createChat',
  'messages.addChatUser',
  'messages.importChatInvite',
  'channels.createChannel',
  'channels.joinChannel',
  'channels.inviteToChannel',
  'channels.edit*',
  'account.update*',
];

/** Hands each call to its method, after the checks that all methods share. */
export class Api implements RpcHandler {
  private transport: Transport | undefined;

  constructor(private readonly world: World) {}

  /** From now on calls may come, and changes in the world are pushed to whoever is connected. */
  attach(transport: Transport): void {
    this.transport = transport;
    this.world.attach(new Feed(this.world, transport));
  }

  call(context: RpcContext, query: TlObject): RpcResult | Promise<RpcResult> {
    if (!this.transport) throw new RpcError(500, 'NOT_ATTACHED');
    this.assertAllowed(context, query._);
    const method = METHODS.get(query._);
    if (!method) throw new RpcError(400, NOT_IMPLEMENTED);
    return method(new Call(this.world, this.transport, context), query);
  }

  private assertAllowed(context: RpcContext, method: string): void {
    const { id, ownerId, pendingUserId } = context.key;
    if (!needsLogin(method)) return;
    if (ownerId === undefined) {
      if (pendingUserId !== undefined) throw new RpcError(401, 'SESSION_PASSWORD_NEEDED');
      throw new RpcError(401, this.world.authorizations.revocation(id) ?? 'AUTH_KEY_UNREGISTERED');
    }
    const account = this.world.accounts.find(ownerId);
    if (!account) throw new RpcError(401, 'USER_DEACTIVATED');
    if (account.banned) throw new RpcError(401, 'USER_DEACTIVATED_BAN');
    if (account.freeze && FORBIDDEN_WHILE_FROZEN.some((pattern) => methodMatches(pattern, method))) {
      throw new RpcError(420, 'FROZEN_METHOD_INVALID');
    }
    const authorization = this.world.authorizations.ofKey(id);
    if (authorization) authorization.activeAt = this.world.clock.seconds();
  }
}

function needsLogin(method: string): boolean {
  if (NEEDS_LOGIN.includes(method)) return true;
  return !WITHOUT_LOGIN.some((pattern) => methodMatches(pattern, method));
}
