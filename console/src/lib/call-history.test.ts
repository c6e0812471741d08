import { forgetCalls, mayKeep, rememberCall } from './call-history';

const stored = (): { sessionId: string; method: string; params?: string }[] =>
  JSON.parse(window.localStorage.getItem('tgcontrol.calls') ?? '[]') as [];

it('keeps the newest twenty calls of a session, and two hundred in all', () => {
  for (let session = 0; session < 15; session += 1) {
    for (let call = 0; call < 25; call += 1) {
      rememberCall({ sessionId: `s${session}`, method: `m${call}`, at: call, ok: true });
    }
  }
  expect(stored()).toHaveLength(200);
  expect(stored().filter(({ sessionId }) => sessionId === 's14')).toHaveLength(20);
  expect(stored()[0]).toMatchObject({ sessionId: 's14', method: 'm24' });
});

it('moves a call that is made again up instead of listing it twice', () => {
  for (const params of ['{"a":1}', '{"a":2}', '{"a":1}']) {
    rememberCall({ sessionId: 's', method: 'm', params, at: 1, ok: true });
  }
  expect(stored().map(({ params }) => params)).toEqual(['{"a":1}', '{"a":2}']);
});

it.each([
  ['account', '{"old_password":"x"}'],
  ['account', '{}'],
  [undefined, '{}'],
  ['manage', '{"new_password": "x"}'],
  ['read', '{"token":"x"}'],
  ['send', `{"text":"${'x'.repeat(5_000)}"}`],
] as const)('does not keep the params of class %s that are or may be secret or long: %#', (methodClass, params) => {
  expect(mayKeep(methodClass, params)).toBe(false);
});

it('keeps ordinary params', () => {
  expect(mayKeep('send', '{"chat_id":"@name"}')).toBe(true);
});

it('forgets one session or all of them', () => {
  rememberCall({ sessionId: 'a', method: 'm', at: 1, ok: true });
  rememberCall({ sessionId: 'b', method: 'm', at: 1, ok: true });
  forgetCalls('a');
  expect(stored()).toHaveLength(1);
  forgetCalls();
  expect(stored()).toHaveLength(0);
});

it('begins anew over a history that cannot be read', () => {
  window.localStorage.setItem('tgcontrol.calls', '{"not":"a list"');
  rememberCall({ sessionId: 'a', method: 'm', at: 1, ok: true });
  expect(stored()).toHaveLength(1);
});
