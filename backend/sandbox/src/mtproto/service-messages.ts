import { arrayOf, bigintOf, numberOf, type TlObject } from '../schema/tl-object.js';
import type { TlSchema } from '../schema/tl-schema.js';
import type { PermanentKey } from './auth-key.js';
import { futureSalts } from './salts.js';
import type { Session } from './session.js';

/** Codes of `msgs_state_info`: one byte for each message asked about. */
const STATE_UNKNOWN = 1;
const STATE_RECEIVED = 4;

/** What service messages ask of the server besides an answer. */
export interface ServiceActions {
  removeKey(key: PermanentKey): void;
}

/** Answers the messages of MTProto itself (https://core.telegram.org/mtproto/service_messages). */
export class ServiceMessages {
  constructor(
    private readonly schema: TlSchema,
    private readonly actions: ServiceActions,
  ) {}

  /** @param messageId of the service message */
  handle(session: Session, messageId: bigint, message: TlObject): void {
    switch (message._) {
      case 'mt_msgs_ack':
        session.acknowledged(longs(message, 'msg_ids'));
        return;
      case 'mt_ping':
      case 'mt_ping_delay_disconnect':
        session.sendService({ _: 'mt_pong', msg_id: messageId, ping_id: bigintOf(message, 'ping_id') });
        return;
      case 'mt_get_future_salts':
        session.sendService(salts(session, messageId, numberOf(message, 'num')));
        return;
      case 'mt_msgs_state_req':
        this.tellStates(session, messageId, longs(message, 'msg_ids'));
        return;
      case 'mt_msg_resend_req':
        for (const id of longs(message, 'msg_ids')) session.repeat(id);
        return;
      case 'mt_rpc_drop_answer':
        this.dropAnswer(session, messageId, bigintOf(message, 'req_msg_id'));
        return;
      case 'mt_destroy_session':
        this.destroySession(session, bigintOf(message, 'session_id'));
        return;
      case 'mt_destroy_auth_key':
        this.destroyKey(session);
        return;
      default:
        // msgs_state_info, msgs_all_info and http_wait want no answer.
        return;
    }
  }

  /** One byte for each id. A call that was received is answered again too: the client only waits from now on. */
  private tellStates(session: Session, messageId: bigint, ids: readonly bigint[]): void {
    const info = Buffer.from(ids.map((id) => (session.hasReceived(id) ? STATE_RECEIVED : STATE_UNKNOWN)));
    session.sendService({ _: 'mt_msgs_state_info', req_msg_id: messageId, info });
    for (const id of ids) session.repeatAnswer(id);
  }

  /** Unlike other service messages this one is answered inside `rpc_result`. */
  private dropAnswer(session: Session, messageId: bigint, callId: bigint): void {
    const known = session.hasReceived(callId);
    session.sendAnswer(
      messageId,
      this.schema.write({ _: known ? 'mt_rpc_answer_dropped_running' : 'mt_rpc_answer_unknown' }),
    );
  }

  private destroySession(session: Session, id: bigint): void {
    const other = id === session.id ? undefined : session.key.sessions.get(id);
    const known = other !== undefined;
    other?.end();
    session.sendService({ _: known ? 'mt_destroy_session_ok' : 'mt_destroy_session_none', session_id: id });
  }

  /** TDLib asks for it after every log out and goes on asking until it is answered. */
  private destroyKey(session: Session): void {
    const { permanent } = session.key;
    session.sendService({ _: permanent ? 'mt_destroy_auth_key_ok' : 'mt_destroy_auth_key_none' });
    if (permanent) this.actions.removeKey(permanent);
  }
}

function salts(session: Session, messageId: bigint, count: number): TlObject {
  const now = session.key.time.seconds();
  return {
    _: 'mt_future_salts',
    req_msg_id: messageId,
    now,
    salts: futureSalts(session.key, now, count).map(({ validSince, validUntil, value }) => ({
      _: 'mt_future_salt',
      valid_since: validSince,
      valid_until: validUntil,
      salt: value,
    })),
  };
}

function longs(object: TlObject, field: string): bigint[] {
  return arrayOf(object, field).filter((value) => typeof value === 'bigint');
}
