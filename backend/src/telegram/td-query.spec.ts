import fc from 'fast-check';
import { MethodReservedError, PathDeniedError, ValidationFailedError } from '../common/errors/index.js';
import { inspectQuery, serializeQuery } from './td-query.js';

const UPLOADS = '/uploads';
const inspect = (method: unknown, params?: unknown) => inspectQuery(method, params, UPLOADS);
const local = (path: unknown) => inspect('sendMessage', { a: [{ b: { '@type': 'inputFileLocal', path } }] });

function issuesOf(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    if (error instanceof ValidationFailedError) {
      return error.issues.map(({ path }) => path);
    }
  }
  return undefined;
}

describe('inspectQuery', () => {
  it('tells a method that is missing from one that is no name', () => {
    expect(() => inspect(undefined)).toThrow('method is required');
    expect(() => inspect(5)).toThrow('method must be a string');
  });

  it.each([undefined, '', 5, 'get me', '2056030919', 'a"b'])('refuses %p as a method', (method) => {
    expect(issuesOf(() => inspect(method))).toEqual(['method']);
  });

  it.each(['logOut', 'close', 'addProxy', 'getProxies', 'pingProxy', 'testProxy', 'addLogMessage', 'setAlarm'])(
    'keeps %s for the gateway',
    (method) => {
      expect(() => inspect(method)).toThrow(MethodReservedError);
    },
  );

  it.each(['getMe', 'sendMessage', 'getChat', 'LogOut'])('lets %s through', (method) => {
    expect(inspect(method).method).toBe(method);
  });

  it.each([[[]], ['x'], [5], [true]])('refuses params that are no object: %p', (params) => {
    expect(issuesOf(() => inspect('getMe', params))).toEqual(['params']);
  });

  it('takes absent and null params as none', () => {
    expect(serializeQuery(inspect('getMe', null))).toBe('{"@type":"getMe"}');
    expect(serializeQuery(inspect('getMe'))).toBe('{"@type":"getMe"}');
  });

  it('drops the members of the call itself', () => {
    expect(serializeQuery(inspect('getMe', { '@type': 'getMe', '@extra': 1, '@client_id': 2, x: 1 }))).toBe(
      '{"@type":"getMe","x":1}',
    );
  });

  it('does not let params name another method', () => {
    expect(issuesOf(() => inspect('getMe', { '@type': 'logOut' }))).toEqual(['params.@type']);
  });

  it('refuses a numeric @type at any depth and says where', () => {
    expect(issuesOf(() => inspect('x', { a: [{ '@type': 2056030919, path: '/etc/passwd' }] }))).toEqual([
      'params.a[0].@type',
    ]);
    expect(issuesOf(() => inspect('x', { a: { '@type': '2056030919' } }))).toEqual(['params.a.@type']);
  });

  it('sends TDLib the member that was checked when the body has it twice', () => {
    const params: unknown = JSON.parse(
      '{"f":{"@type":"inputFileLocal","path":"/etc/passwd","path":"/uploads/a/x.jpg"}}',
    );
    expect(serializeQuery(inspect('x', params))).toBe(
      '{"@type":"x","f":{"@type":"inputFileLocal","path":"/uploads/a/x.jpg"}}',
    );
  });

  it('names the path of an integer that JSON numbers cannot hold', () => {
    expect(issuesOf(() => inspect('x', JSON.parse('{"a":[1,{"b":9007199254740993}]}')))).toEqual(['params.a[1].b']);
    expect(
      issuesOf(() => inspect('x', { a: Number.MAX_SAFE_INTEGER, b: -1.5, c: '9007199254740993' })),
    ).toBeUndefined();
  });

  it('refuses nesting that TDLib would not read', () => {
    let deep: unknown = {};
    for (let i = 0; i < 5_000; i += 1) deep = { a: deep };
    expect(issuesOf(() => inspect('x', { deep }))).toHaveLength(1);
  });

  it.each([
    '/uploads',
    '/uploads/',
    '/etc/passwd',
    '/uploads/../etc/passwd',
    '/uploads-evil/x',
    'uploads/x',
    '',
    7,
    null,
  ])('refuses the local path %p', (path) => {
    expect(() => local(path)).toThrow(PathDeniedError);
  });

  it('takes an uploaded file and reports it', () => {
    expect(local('/uploads/ab/pic.jpg').localPaths).toEqual(['/uploads/ab/pic.jpg']);
  });

  it.each([
    ['getLanguagePackString', { language_pack_database_path: '/tmp/x.db' }],
    ['getSuggestedFileName', { file_id: 1, directory: '/etc' }],
    ['getSuggestedFileName', { file_id: 1, directory: ['/etc'] }],
    ['setOption', { name: 'language_pack_database_path', value: { '@type': 'optionValueString', value: '/tmp/x.db' } }],
  ])('lets %s name no other file of the server: %p', (method, params) => {
    expect(() => inspect(method, params)).toThrow(PathDeniedError);
  });

  it('lets those methods pass that name none', () => {
    expect(inspect('getSuggestedFileName', { file_id: 1, directory: '' }).method).toBe('getSuggestedFileName');
    expect(inspect('getLanguagePackString', { key: 'x' }).method).toBe('getLanguagePackString');
  });

  it('refuses generated files to everybody', () => {
    expect(() => inspect('x', { f: { '@type': 'inputFileGenerated', conversion: 'c' } })).toThrow(PathDeniedError);
  });

  it('changes nothing else of the params', () => {
    const json = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('@'));
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => !key.includes('@')),
          json,
        ),
        (params) => {
          const numbersAreSafe = issuesOf(() => inspect('x', params)) === undefined;
          fc.pre(numbersAreSafe);
          const expected: unknown = JSON.parse(JSON.stringify({ '@type': 'x', ...params }));
          expect(JSON.parse(serializeQuery(inspect('x', params)))).toEqual(expected);
        },
      ),
    );
  });

  it.each([Infinity, -Infinity, 1e30])('refuses %p, which JSON.parse has rounded', (a) => {
    expect(issuesOf(() => inspect('x', { a }))).toEqual(['params.a']);
  });

  it.each([
    ['closeSecretChat', { secret_chat_id: 1 }, 'user', 'method'],
    ['createNewSecretChat', { user_id: 1 }, 'user', 'method'],
    ['createInvoiceLink', { invoice: { '@type': 'inputMessageText' } }, 'bot', 'params.invoice'],
    ['getThemeParametersJsonString', undefined, undefined, 'params.theme'],
    ['getThemeParametersJsonString', { theme: null }, undefined, 'params.theme'],
    ['getRecentlyOpenedChats', { limit: -2 }, 'user', 'params.limit'],
    ['searchRecentlyFoundChats', { limit: '-2' }, 'user', 'params.limit'],
    ['sellGift', { business_connection_id: 'x' }, 'user', 'params.business_connection_id'],
  ] as const)('refuses what TDLib would abort the process for: %s %j', (method, params, kind, path) => {
    expect(issuesOf(() => inspectQuery(method, params, UPLOADS, kind))).toEqual([path]);
  });

  it('takes what is close to that', () => {
    expect(issuesOf(() => inspectQuery('sellGift', { business_connection_id: '' }, UPLOADS, 'user'))).toBeUndefined();
    expect(issuesOf(() => inspectQuery('sellGift', { business_connection_id: 'x' }, UPLOADS, 'bot'))).toBeUndefined();
    expect(issuesOf(() => inspectQuery('getChats', { limit: 0 }, UPLOADS, 'user'))).toBeUndefined();
    expect(
      issuesOf(() => inspectQuery('getThemeParametersJsonString', { theme: {} }, UPLOADS, undefined)),
    ).toBeUndefined();
  });

  it('names the first 20 issues and says that there are more, in an answer that does not grow with the call', () => {
    const params = { ['k'.repeat(10_000)]: Array.from({ length: 100_000 }, () => 1e30) };
    const issues = issuesOf(() => inspect('getMe', params)) as string[];
    expect(issues).toHaveLength(21);
    expect(issues.at(-1)).toBe('');
    expect(Math.max(...issues.map((path) => path.length))).toBeLessThanOrEqual(201);
  });
});
