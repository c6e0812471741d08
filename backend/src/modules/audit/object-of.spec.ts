import { objectOf } from './object-of.js';

const id = '00000000-0000-4000-8000-000000000001';

describe('the object of a request', () => {
  it.each([
    ['/v1/tokens/:id/rotate', { id }, { id: 'other', token: 'x' }, { type: 'token', id }],
    ['/v1/proxies/:id', { id }, undefined, { type: 'proxy', id }],
    ['/v1/:kind(bot|user)/:id/stop', { kind: 'bot', id }, undefined, { type: 'session', id }],
    ['/v1/user/:id/login/code', { id }, undefined, { type: 'session', id }],
    [
      '/v1/:kind(bot|user)/:id/updates/subscriptions/:sub',
      { kind: 'bot', id: 'session', sub: id },
      undefined,
      { type: 'subscription', id },
    ],
    ['/v1/tokens/:id', { id: id.replace(/^0/, 'A') }, undefined, { type: 'token', id: id.replace(/^0/, 'a') }],
    [
      '/v1/:kind(bot|user)/:id/limits/cooldowns/:scope',
      { kind: 'user', id, scope: 'getUser' },
      undefined,
      { type: 'cooldown', id: 'getUser' },
    ],
    ['/v1/apps', {}, { app_id: id }, { type: 'app', id }],
    ['/v1/bot', {}, { id, me: {} }, { type: 'session', id }],
    ['/v1/console/session', {}, { csrf_token: 'x' }, { type: 'session' }],
    ['/v1/tokens', {}, undefined, { type: 'token' }],
  ])('of %s', (pattern, params, result, expected) => {
    expect(objectOf(pattern, params, result)).toEqual(expected);
  });
});
