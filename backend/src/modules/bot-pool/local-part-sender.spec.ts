import { DatabaseUnavailableError, SessionNotReadyError } from '../../common/errors/index.js';
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

  it('puts a bot aside whose authorization is over or whose operator has stopped it', async () => {
    for (const status of ['stopped', 'logged_out', 'banned', 'expired']) {
      expect(await faultWhen(new SessionNotReadyError(status))).toBe('bot');
    }
  });
});
