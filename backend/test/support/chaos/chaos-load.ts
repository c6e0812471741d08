import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { master } from '../app.js';
import type { StreamEvent } from '../events.js';
import { textContent } from '../messages.js';
import { textOf } from '../receiver.js';
import { until } from '../until.js';
import type { ChaosFleet } from './chaos-fleet.js';

interface Session {
  readonly path: string;
  readonly account: number;
  readonly chat: number;
  readonly stream: string;
}

/** A message that somebody was told something about. */
interface Told {
  readonly session: Session;
  /** Of its text, or of the caption of its file. */
  readonly text: string;
  /** Of its file. */
  readonly sha256: string | undefined;
  /** `unknown` when nobody can say. */
  readonly status: 'sent' | 'failed' | 'unknown';
}

/** An object that a pool has said to have. */
interface Stored {
  readonly key: string;
  readonly sha256: string;
}

/** How much is asked for. */
export interface LoadSize {
  readonly sessions: number;
  readonly poolBots: number;
}

const PATIENCE_MS = 180_000;
const MIB = 1024 * 1024;
const FILE_BYTES = 100_000;
/** More than one part of the pool. */
const OBJECT_BYTES = 1.3 * MIB;
/** One of so many sends is a file. */
const FILE_EVERY = 5;
/** One of so many sessions is a user. */
const USER_EVERY = 4;
/** So many sends, and so many updates, are under way in a second at most, whatever the number of sessions. */
const PACE_MS = { least: 100, each: 40 };

/** Calls, sends, files, objects and incoming messages while a fleet is in chaos, and what must be true of them afterwards. */
export class ChaosLoad {
  private readonly sessions: Session[] = [];
  private readonly told: Told[] = [];
  private readonly stored: Stored[] = [];
  private readonly over = new AbortController();
  private running: Promise<unknown> = Promise.resolve();
  private friend = 0;
  private calls = 0;
  private refusals = 0;
  private sent = 0;
  private received = 0;
  private readonly pauseMs: number;

  private constructor(
    private readonly fleet: ChaosFleet,
    private readonly size: LoadSize,
  ) {
    this.pauseMs = Math.max(PACE_MS.least, PACE_MS.each * size.sessions);
  }

  /** Makes the accounts and the pool. */
  static async prepare(fleet: ChaosFleet, size: LoadSize): Promise<ChaosLoad> {
    const load = new ChaosLoad(fleet, size);
    const { app_id } = await fleet.settled('the app', 'POST', '/v1/apps', { api_id: 1, api_hash: 'a'.repeat(32) });
    load.friend = fleet.telegram.control.createAccount({ phone: '1555080000', firstName: 'F' }).userId;
    for (let number = 0; number < size.sessions; number += 1) load.sessions.push(await load.login(number, app_id));
    await load.makePool(app_id);
    return load;
  }

  /** Of the sessions. */
  get paths(): readonly string[] {
    return this.sessions.map(({ path }) => path);
  }

  begin(): void {
    this.running = Promise.all([
      ...this.sessions.map((session) => this.runSession(session)),
      this.fill(),
      this.write(),
    ]);
    // Whoever ends it is told.
    this.running.catch(() => undefined);
  }

  /** Resolves when everything that was begun has been told to have ended. */
  async end(): Promise<void> {
    this.over.abort();
    await this.running;
  }

  /** For the record. */
  get summary(): readonly string[] {
    const count = (status: Told['status']): number => this.told.filter((each) => each.status === status).length;
    return [
      `${this.calls} calls answered, ${this.refusals} answers asked for again, ${this.received * this.sessions.length} updates came`,
      `sends: ${count('sent')} sent, ${count('failed')} failed, ${count('unknown')} unknown; ` +
        `${this.told.filter(({ sha256 }) => sha256 !== undefined).length} of them files; ${this.stored.length} objects stored`,
    ];
  }

  /** Every session answers as who it is. */
  async hasEverySession(): Promise<void> {
    for (const { path, account } of this.sessions) {
      const me = await this.fleet.settled('every session back', 'POST', `${path}/call`, { method: 'getMe' });
      expect(me).toMatchObject({ id: account });
    }
  }

  /** Each send is in its chat as often as its caller was told. */
  async hasEachSendOnce(): Promise<void> {
    const wrong: object[] = [];
    for (const session of this.sessions) {
      const messages = await this.fleet.telegram.control.messages({ chatId: session.chat, account: session.account });
      for (const { text, status, sha256 } of this.told.filter((each) => each.session === session)) {
        const found = messages.filter((message) => message.text === text);
        const isWhole = found.every(({ file }) => file?.sha256 === sha256);
        const { length } = found;
        const isRight = status === 'sent' ? length === 1 : status === 'failed' ? length === 0 : length <= 1;
        if (!isRight || !isWhole) wrong.push({ path: session.path, text, status, length, isWhole });
      }
    }
    expect(wrong).toEqual([]);
  }

  /** Each object is there as it was given. */
  async hasEveryObject(): Promise<void> {
    for (const { key, sha256 } of this.stored) {
      const found = await until(
        key,
        async () => {
          const answer = await fetch(`${this.fleet.gateway.url}/v1/pools/chaos/objects/${key}`, { headers: master });
          const bytes = Buffer.from(await answer.arrayBuffer());
          if (answer.status !== 200) throw new Error(bytes.toString('utf8'));
          return sha256Of(bytes);
        },
        PATIENCE_MS,
      );
      expect({ key, sha256: found }).toEqual({ key, sha256 });
    }
  }

  /** Each message that came is among the events of its session's subscription, under one id. */
  async hasEveryUpdate(): Promise<void> {
    for (const { path, stream } of this.sessions) {
      const seen = new Map<string, Set<string>>();
      let after = '0';
      await until(
        `every update of ${path}`,
        async () => {
          const at = `${path}/updates/subscriptions/${stream}/events?limit=1000&after=${after}`;
          const events = (await this.fleet.gateway.ask('GET', at)).body.result as unknown as
            readonly StreamEvent[] | undefined;
          for (const { id, update, cursor } of events ?? []) {
            const text = textOf(update) ?? '';
            seen.set(text, (seen.get(text) ?? new Set()).add(id));
            after = cursor;
          }
          const missing = Array.from({ length: this.received }, (_, n) => `in ${n + 1}`).filter(
            (text) => !seen.has(text),
          );
          if (missing.length > 0) throw new Error(`missing: ${missing.join(', ')}`);
          return true;
        },
        PATIENCE_MS,
      );
      expect([...seen].filter(([text, ids]) => text.startsWith('in ') && ids.size > 1)).toEqual([]);
    }
  }

  private async login(number: number, app_id: unknown): Promise<Session> {
    const { path, account } = await (number % USER_EVERY === USER_EVERY - 1
      ? this.user(number, app_id)
      : this.bot(`chaos_${number}_bot`, app_id));
    const { chatId } = this.fleet.telegram.control.createChat({ type: 'channel', title: 'News', admins: [account] });
    await this.fleet.settled('the chat', 'POST', `${path}/call`, { method: 'getChat', params: { chat_id: chatId } });
    const stream = await this.fleet.settled('the stream', 'POST', `${path}/updates/subscriptions`, {
      kind: 'stream',
      filters: { types: ['updateNewMessage'] },
    });
    return { path, account, chat: chatId, stream: String(stream['id']) };
  }

  private async bot(username: string, app_id: unknown): Promise<{ path: string; account: number }> {
    const { userId, token } = this.fleet.telegram.control.createBot({ username });
    return { path: `/v1/bot/${await this.begun('/v1/bot', { token, app_id })}`, account: userId };
  }

  private async user(number: number, app_id: unknown): Promise<{ path: string; account: number }> {
    const { control } = this.fleet.telegram;
    const phone = `155508${String(number + 1).padStart(4, '0')}`;
    const { userId } = control.createAccount({ phone, firstName: 'U' });
    const path = `/v1/user/${await this.begun('/v1/user', { app_id, phone })}`;
    await until(
      'the code',
      async () => {
        await this.fleet.gateway.ask('POST', `${path}/login/code`, { code: control.newestCode(phone) });
        return (await this.fleet.gateway.ask('GET', path)).body.result?.['status'] === 'authorized';
      },
      PATIENCE_MS,
    );
    return { path, account: userId };
  }

  /** A login whose answer did not come has been made nevertheless; the next attempt is told of it. */
  private begun(path: string, body: object): Promise<string> {
    return until(
      `a login by ${path}`,
      async () => {
        const answer = await this.fleet.gateway.ask('POST', path, body);
        const id = answer.body.result?.['id'] ?? answer.body.error?.['session_id'];
        if (typeof id !== 'string') throw new Error(JSON.stringify(answer.body));
        return id;
      },
      PATIENCE_MS,
    );
  }

  private async makePool(app_id: unknown): Promise<void> {
    if (this.size.poolBots === 0) return;
    const bots: { path: string; account: number }[] = [];
    for (let number = 0; number < this.size.poolBots; number += 1) {
      bots.push(await this.bot(`chaos_pool_${number}_bot`, app_id));
    }
    const admins = [this.friend, ...bots.map(({ account }) => account)];
    const { chatId } = this.fleet.telegram.control.createChat({ type: 'channel', title: 'Store', admins });
    await this.fleet.settled('the pool', 'POST', '/v1/pools', {
      name: 'chaos',
      chat_id: chatId,
      session_ids: bots.map(({ path }) => path.split('/').at(-1)),
      chunk_size: MIB,
      budget: { max: 1_000, window_s: 60, gap_ms: 0 },
    });
  }

  private async runSession(session: Session): Promise<void> {
    for (let turn = 1; !this.over.signal.aborted; turn += 1) {
      this.told.push(turn % FILE_EVERY === 0 ? await this.sendFile(session) : await this.sendText(session));
      const { status } = await this.fleet.gateway.ask('POST', `${session.path}/call`, { method: 'getMe' });
      if (status === 200) this.calls += 1;
      else this.refusals += 1;
      await sleep(this.pauseMs);
    }
  }

  private async sendText(session: Session): Promise<Told> {
    const text = `chaos ${(this.sent += 1)}`;
    return { session, text, sha256: undefined, status: await this.send(session, text, textContent(text)) };
  }

  private async sendFile(session: Session): Promise<Told> {
    const text = `chaos ${(this.sent += 1)}`;
    const bytes = bytesOf(text, FILE_BYTES);
    const path = await this.upload(`${text.replace(' ', '-')}.bin`, bytes);
    const status = await this.send(session, text, {
      '@type': 'inputMessageDocument',
      document: { '@type': 'inputFileLocal', path },
      disable_content_type_detection: true,
      caption: { '@type': 'formattedText', text },
    });
    return { session, text, sha256: sha256Of(bytes), status };
  }

  /** With a key, again and again with the same one, until it is told what became of it. */
  private send({ path, chat }: Session, key: string, content: object): Promise<Told['status']> {
    const body = { method: 'sendMessage', params: { chat_id: chat, input_message_content: content } };
    return until(
      `what became of ${key}`,
      async () => {
        const answer = await this.fleet.gateway.ask('POST', `${path}/call?wait=20`, body, { 'idempotency-key': key });
        const { body: told } = answer;
        if (answer.status === 409 && told.error?.['code'] === 'idempotency_outcome_unknown') return 'unknown' as const;
        const seen = told.sends?.[0]?.['status'];
        if (seen === 'sent' || seen === 'failed' || seen === 'unknown') return seen;
        this.refusals += 1;
        throw new Error(`${answer.status} ${JSON.stringify(told)}`);
      },
      PATIENCE_MS,
    );
  }

  private upload(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> {
    return until(
      `the upload of ${name}`,
      async () => {
        const url = `${this.fleet.gateway.url}/v1/files?name=${name}`;
        const answer = await fetch(url, { method: 'POST', headers: master, body: bytes });
        const { result } = (await answer.json()) as { result?: { path: string } };
        if (result === undefined) this.refusals += 1;
        return result?.path;
      },
      PATIENCE_MS,
    );
  }

  /** Puts one object after the other into the pool, each until it is taken. */
  private async fill(): Promise<void> {
    if (this.size.poolBots === 0) return;
    for (let number = 1; !this.over.signal.aborted; number += 1) {
      const key = `object-${number}`;
      const bytes = bytesOf(key, OBJECT_BYTES);
      await until(
        `the object ${key}`,
        async () => {
          const url = `${this.fleet.gateway.url}/v1/pools/chaos/objects/${key}`;
          const answer = await fetch(url, { method: 'PUT', headers: master, body: bytes });
          const text = await answer.text();
          if (answer.status === 200) return true;
          this.refusals += 1;
          throw new Error(`${answer.status} ${text}`);
        },
        PATIENCE_MS,
      );
      this.stored.push({ key, sha256: sha256Of(bytes) });
      await sleep(this.pauseMs);
    }
  }

  /** A friend writes to everybody. */
  private async write(): Promise<void> {
    while (!this.over.signal.aborted) {
      this.received += 1;
      for (const { account } of this.sessions) {
        await this.fleet.telegram.control.sendMessage({
          chatId: account,
          from: this.friend,
          text: `in ${this.received}`,
        });
        // The sandbox lives in this process: let it send.
        await sleep(0);
      }
      await sleep(this.pauseMs);
    }
  }
}

/** The same bytes for the same name. */
function bytesOf(name: string, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(Math.ceil(size));
  const pattern = createHash('sha512').update(name).digest();
  for (let at = 0; at < bytes.length; at += pattern.length) bytes.set(pattern.subarray(0, bytes.length - at), at);
  return bytes;
}

function sha256Of(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
