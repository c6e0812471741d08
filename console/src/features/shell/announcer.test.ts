import { aLogin, aSession } from '@/test/samples';
import { describeChanges } from './announcer';

it('tells which session changed its state, and nothing of those that did not', () => {
  const before = [aSession(), aLogin()];
  const after = [aSession({ health: 'degraded' }), aLogin({ status: 'awaiting_password' })];
  expect(describeChanges(before, after)).toEqual(['ops: Password needed']);
});

it('keeps quiet about sessions that are new', () => {
  expect(describeChanges([], [aSession()])).toEqual([]);
});
