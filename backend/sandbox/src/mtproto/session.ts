import type { ClientInfo } from '../rpc.js';
import type { TlObject } from '../schema/tl-object.js';
import type { TlSchema } from '../schema/tl-schema.js';
import type { EncryptionKey } from './auth-key.js';
import type { Connection } from './connection.js';
import { pack } from './containers.js';
import { sealPacket, type Message } from './envelope.js';
import { currentSalt } from './salts.js';

const RPC_RESULT = 0xf35c6d01;
/** TDLib closes a connection that repeats more than 256 KiB of answers above this size (td/mtproto/SessionConnection.cpp). */
const REPEAT_BYTES = 16 * 1024;
/** A container larger than this is split; a single message may be larger. */
const CONTAINER_BYTES = 256 * 1024;
/** Containers hold at most 1,020 messages (https://core.telegram.org/mtproto/service_messages#containers). */
const CONTAINER_MESSAGES = 1000;
/** How many of the client's messages are remembered to recognise repetitions and to answer `msgs_state_req`. */
const REMEMBERED = 4096;
/** Updates kept for a client that is away; when there are more, it is only told to ask for the difference. */
const KEPT_UPDATES = 256;

/** A content message that the client has not acknowledged yet. */
interface Unacknowledged extends Message {
  /** The call it answers; undefined for updates. */
  readonly answers: bigint | undefined;
}

/** A call of the client. */
interface ReceivedCall {
  answerId: bigint | undefined;
  /** The client was told that it arrived, and will not ask what became of it. */
  acknowledged: boolean;
}

/**
 * One MTProto session: a key and a session id, over one connection after another.
 *
 * Whatever the client has not acknowledged is kept and sent again, under the same msg_id, on the next connection. TDLib
 * does not ask for answers of calls that were acknowledged to it, so it would wait for ever otherwise.
 */
export class Session {
  connection: Connection | undefined;
  /** Gets updates: it made a call that was neither an upload nor wrapped in `invokeWithoutUpdates`. */
  subscribed = false;
  /** From the last `initConnection` on this session. */
  client: ClientInfo | undefined;
  /** Monotonic milliseconds of the first API call that was no upload; see `KeyUse`. */
  firstCallAt: number | undefined;
  /** `new_session_created` was sent. */
  announced = false;
  /** Monotonic milliseconds of the last packet. */
  lastSeen = performance.now();
  private contentMessages = 0;
  private readonly unacknowledged = new Map<bigint, Unacknowledged>();
  private readonly received = new Map<bigint, ReceivedCall>();
  private outbox: Message[] = [];
  private toAcknowledge: bigint[] = [];
  private flushScheduled = false;
  private lostUpdates = false;

  constructor(
    readonly id: bigint,
    readonly key: EncryptionKey,
    private readonly schema: TlSchema,
  ) {}

  /** Takes the connection over and repeats on it what the client may have missed. */
  attach(connection: Connection): void {
    this.lastSeen = performance.now();
    if (this.connection === connection) return;
    this.connection = connection;
    this.outbox = [];
    for (const message of this.unacknowledged.values()) {
      if (message.body.length < REPEAT_BYTES) this.enqueue(message);
      else if (this.isUnasked(message)) this.announceLarge(message);
    }
    if (this.lostUpdates) {
      this.lostUpdates = false;
      this.push({ _: 'updatesTooLong' });
    }
  }

  detach(connection: Connection): void {
    if (this.connection === connection) this.connection = undefined;
  }

  /** The session is over: packets under its id begin a new one. */
  end(): void {
    this.key.sessions.delete(this.id);
    this.key.permanent?.subscribers.delete(this);
    this.key.permanent?.mainSessions.delete(this);
  }

  /** A service message: not acknowledged, not repeated, even seq_no. Lost when there is no connection. */
  sendService(object: TlObject): void {
    this.enqueue({
      id: this.key.time.nextMessageId(),
      seqNo: this.contentMessages * 2,
      body: this.schema.write(object),
    });
  }

  /** A content message: repeated until acknowledged, odd seq_no. */
  sendContent(object: TlObject): void {
    this.content(this.schema.write(object), undefined);
  }

  /** An update; kept while the client is away. */
  push(updates: TlObject): void {
    if (this.connection === undefined && this.unacknowledged.size >= KEPT_UPDATES) this.lostUpdates = true;
    else this.sendContent(updates);
  }

  /** @param body the serialized result or error */
  sendAnswer(callId: bigint, body: Buffer): void {
    const header = Buffer.alloc(12);
    header.writeUInt32LE(RPC_RESULT, 0);
    header.writeBigInt64LE(callId, 4);
    const id = this.content(Buffer.concat([header, body]), callId);
    const call = this.received.get(callId);
    if (call) call.answerId = id;
  }

  /** @returns false when the call was received before; its answer, if kept, is sent again. */
  receive(callId: bigint): boolean {
    if (this.received.has(callId)) {
      this.repeatAnswer(callId);
      return false;
    }
    this.received.set(callId, { answerId: undefined, acknowledged: false });
    if (this.received.size > REMEMBERED) {
      for (const oldest of this.received.keys()) {
        this.received.delete(oldest);
        break;
      }
    }
    return true;
  }

  /** Takes back `receive`, so that the client's next attempt counts as the first. */
  forget(callId: bigint): void {
    this.received.delete(callId);
  }

  hasReceived(messageId: bigint): boolean {
    return this.received.has(messageId);
  }

  /** Tells the client, unless the answer does so first, that a call has arrived. */
  acknowledge(callId: bigint): void {
    this.toAcknowledge.push(callId);
    this.scheduleFlush();
  }

  /** The client learned by a quick acknowledgement that a call has arrived. */
  quickAcknowledged(callId: bigint): void {
    const call = this.received.get(callId);
    if (call) call.acknowledged = true;
  }

  /** The client has these messages. */
  acknowledged(messageIds: Iterable<bigint>): void {
    for (const id of messageIds) this.unacknowledged.delete(id);
  }

  /** Sends the answer of a call once more, if the client has not acknowledged it. */
  repeatAnswer(callId: bigint): void {
    const answerId = this.received.get(callId)?.answerId;
    if (answerId !== undefined) this.repeat(answerId);
  }

  /** Sends one of our messages once more. @returns false when it is not kept any more */
  repeat(messageId: bigint): boolean {
    const message = this.unacknowledged.get(messageId);
    if (!message) return false;
    // It may be waiting to be sent already.
    if (!this.outbox.includes(message)) this.enqueue(message);
    return true;
  }

  private content(body: Buffer, answers: bigint | undefined): bigint {
    const message = { id: this.key.time.nextMessageId(), seqNo: this.contentMessages * 2 + 1, body, answers };
    this.contentMessages++;
    this.unacknowledged.set(message.id, message);
    this.enqueue(message);
    return message.id;
  }

  /** True when the client will not ask about the message by itself: an update, or the answer of an acknowledged call. */
  private isUnasked({ answers }: Unacknowledged): boolean {
    return answers === undefined || this.received.get(answers)?.acknowledged === true;
  }

  /** Lets the client decide whether it wants a large answer again; it asks with `msg_resend_req`. */
  private announceLarge(message: Unacknowledged): void {
    const common = { answer_msg_id: message.id, bytes: message.body.length, status: 0 };
    this.sendService(
      message.answers === undefined
        ? { _: 'mt_msg_new_detailed_info', ...common }
        : { _: 'mt_msg_detailed_info', msg_id: message.answers, ...common },
    );
  }

  private enqueue(message: Message): void {
    if (!this.connection) return;
    this.outbox.push(message);
    this.scheduleFlush();
  }

  /** All that is said within one turn of the event loop leaves in one packet. */
  private scheduleFlush(): void {
    if (this.flushScheduled) return;
    this.flushScheduled = true;
    setImmediate(() => {
      this.flushScheduled = false;
      this.flush();
    });
  }

  private flush(): void {
    this.acknowledgeWaiting();
    const messages = this.outbox;
    this.outbox = [];
    const { connection } = this;
    if (!connection?.isOpen || messages.length === 0) return;
    for (const batch of batches(messages)) connection.send(this.seal(batch));
  }

  private acknowledgeWaiting(): void {
    const waiting = this.toAcknowledge.filter((id) => {
      const call = this.received.get(id);
      if (!call || call.answerId !== undefined) return false;
      call.acknowledged = true;
      return true;
    });
    this.toAcknowledge = [];
    if (waiting.length > 0) this.sendService({ _: 'mt_msgs_ack', msg_ids: waiting });
  }

  private seal(batch: readonly Message[]): Buffer {
    const [first] = batch;
    const message =
      batch.length === 1 && first
        ? first
        : { id: this.key.time.nextMessageId(), seqNo: this.contentMessages * 2, body: pack(batch) };
    return sealPacket(this.key, currentSalt(this.key, this.key.time.seconds()), this.id, message);
  }
}

function batches(messages: readonly Message[]): Message[][] {
  const result: Message[][] = [];
  let batch: Message[] = [];
  let bytes = 0;
  for (const message of messages) {
    if (batch.length > 0 && (bytes + message.body.length > CONTAINER_BYTES || batch.length >= CONTAINER_MESSAGES)) {
      result.push(batch);
      batch = [];
      bytes = 0;
    }
    batch.push(message);
    bytes += message.body.length;
  }
  if (batch.length > 0) result.push(batch);
  return result;
}
