import { randomUUID } from 'node:crypto';
import { DeadlineError, NoLiveWorkerError, WorkerUnreachableError } from '../../common/errors/index.js';
import type { SessionEntity } from './session.entity.js';
import type { SessionHost } from './session-host.js';
import type { SessionsRepository } from './sessions.repository.js';
import { SessionsService } from './sessions.service.js';

const id = randomUUID();
const now = new Date();
const ROW = { id, kind: 'bot', status: 'authorized', since: now, health: 'ok', healthSince: now, createdAt: now };

function serviceWhere(failure: Error): SessionsService {
  const row = { lastError: null, isPremium: null, label: null, phone: null, username: null, ...ROW, workerId: 'w1' };
  const repository = { find: () => Promise.resolve({ ...row, movingTo: null } as SessionEntity) };
  const host = { state: () => Promise.reject(failure) };
  return new SessionsService(repository as unknown as SessionsRepository, host as unknown as SessionHost);
}

describe('SessionsService', () => {
  it.each([new DeadlineError('worker w1', 5_000), new WorkerUnreachableError('w1', false, new Error('reset'))])(
    'tells what the registry has of a session whose worker does not answer, and why: %s',
    async (failure) => {
      const state = await serviceWhere(failure).get('bot', id, { kind: 'master', via: 'token' });
      expect(state).toMatchObject({ id, status: 'authorized', health: 'down', health_cause: failure.message });
      expect(failure.message).toContain('w1');
    },
  );

  it('hides no other failure', async () => {
    const failure = new NoLiveWorkerError();
    await expect(serviceWhere(failure).get('bot', id, { kind: 'master', via: 'token' })).rejects.toBe(failure);
  });
});
