import { DatabaseUnavailableError, SessionNotReadyError } from '../../common/errors/index.js';
import { until } from '../../../test/support/until.js';
import type { OpenSessions } from '../sessions/index.js';
import { faultOf, type FaultClass } from './dispatcher/fault.js';
import { absenceOf, LocalPartSender } from './local-part-sender.js';

const SEND = {
  botId: 'bot',
  chatId: -1,
  part: { id: 'part', objectId: 'object', sizeBytes: 1, path: '/nowhere' },
  signal: new AbortController().signal,
  onProgress: () => undefined,
};

const CHANNEL = 77;
const KICKED = {
  '@type': 'updateSupergroup',
  supergroup: { '@type': 'supergroup', id: CHANNEL, status: { '@type': 'chatMemberStatusBanned' } },
};

/** A session that sends a message of which TDLib tells nothing more. */
class SilentSession {
  readonly asked: string[] = [];
  tell: (type: string, update: string) => void = () => undefined;

  client(): Promise<unknown> {
    const request = (query: { '@type': string }): Promise<unknown> => {
      this.asked.push(query['@type']);
      return Promise.resolve({ '@type': 'message', id: 5 });
    };
    return Promise.resolve({ request, closed: new Promise(() => undefined) });
  }

  listen(_botId: string, tell: (type: string, update: string) => void): () => void {
    this.tell = tell;
    return () => undefined;
  }
}

async function faultWhen(refusal: Error): Promise<FaultClass> {
  const sender = new LocalPartSender({ client: () => Promise.reject(refusal) } as unknown as OpenSessions);
  const failure = await sender.send(SEND as never).catch((error: unknown) => error);
  return faultOf(failure).class;
}

describe('LocalPartSender', () => {
  it('takes it for no fault of a bot that a worker is only just opening it, or that it is logging in again', async () => {
    expect(await faultWhen(new SessionNotReadyError('authorized', 'the session is being opened'))).toBe('transient');
    expect(await faultWhen(new SessionNotReadyError('connecting'))).toBe('transient');
  });

  it('takes it for no fault of a bot that the registry cannot be asked', async () => {
    expect(await faultWhen(new Error('connect ECONNREFUSED'))).toBe('transient');
    expect(faultOf(absenceOf(new DatabaseUnavailableError(new Error('away')))).class).toBe('transient');
  });

  it('25 waits no longer for a message whose bot is not in the chat any more, and has it looked for', async () => {
    const session = new SilentSession();
    const work = new LocalPartSender(session as unknown as OpenSessions).send({
      ...SEND,
      chatId: -1_000_000_000_000 - CHANNEL,
    } as never);
    const failed = work.catch((error: unknown) => error);
    await until('the message to be sent', () => session.asked.includes('sendMessage'));
    const elsewhere = { ...KICKED, supergroup: { ...KICKED.supergroup, id: CHANNEL + 1 } };
    for (const update of [elsewhere, KICKED]) session.tell('updateSupergroup', JSON.stringify(update));
    const fault = faultOf(await failed);
    expect(fault).toMatchObject({ class: 'unknown', message: 'the bot is not in the chat any more' });
    // What is deleted now TDLib would delete for good when it hears that it has arrived.
    expect(session.asked).not.toContain('deleteMessages');
  });

  it('puts a bot aside whose authorization is over or whose operator has stopped it', async () => {
    for (const status of ['stopped', 'logged_out', 'banned', 'expired']) {
      expect(await faultWhen(new SessionNotReadyError(status))).toBe('bot');
    }
  });
});
