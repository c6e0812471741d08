import { RouteTable } from './route-table.js';

describe('RouteTable', () => {
  const routes = new RouteTable();
  routes.add(['GET'], '/v1/apps');
  routes.add(['POST'], '/v1/apps');
  routes.add(['PATCH'], '/v1/apps/:id');
  routes.add(['GET'], '/v1/:kind(bot|user)/:id');

  it.each([
    ['/v1/apps', ['GET', 'POST']],
    ['/v1/apps/7', ['PATCH']],
    ['/v1/bot/7', ['GET']],
    ['/v1/robot/7', []],
    ['/v1/bots/7', []],
    ['/v1/apps/', []],
    ['/v1/apps/7/x', []],
    ['/', []],
  ])('knows the methods of %s', (path, methods) => expect(routes.methodsOf(path)).toEqual(methods));
});
