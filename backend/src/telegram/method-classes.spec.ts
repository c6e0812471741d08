import { classOf, decidedClassOf, METHOD_CLASSES, METHOD_GROUPS } from './method-classes.js';
import { readTdSchema, type TdMethod } from './td-schema.js';

describe('the table of method classes', () => {
  let functions: readonly TdMethod[];

  beforeAll(async () => {
    ({ methods: functions } = await readTdSchema());
  });

  it('has decided every function of the pinned TDLib', () => {
    expect(functions.length).toBeGreaterThan(900);
    expect(functions.map(({ name }) => name).filter((name) => decidedClassOf(name) === undefined)).toEqual([]);
  });

  it('has each function once, and none that td_api does not have', () => {
    const listed = METHOD_GROUPS.flatMap(({ methods }) => methods);
    expect(listed.toSorted()).toEqual(functions.map(({ name }) => name).toSorted());
  });

  it('takes what it does not know for a change', () => {
    expect(classOf('getMethodOfALaterTdlib')).toBe('manage');
    expect(classOf('constructor')).toBe('manage');
    expect(classOf('__proto__')).toBe('manage');
  });

  it('uses every class', () => {
    expect(new Set(functions.map((method) => method.class))).toEqual(new Set(METHOD_CLASSES));
  });

  it('has a reason of its own for each group', () => {
    const reasons = METHOD_GROUPS.map(({ reason }) => reason);
    expect(new Set(reasons).size).toBe(reasons.length);
  });

  describe('holds as account', () => {
    const others = (pattern: RegExp): readonly string[] =>
      functions.filter((method) => pattern.test(method.name) && method.class !== 'account').map(({ name }) => name);

    it.each([
      ['everything about logging in', /Authentication|^registerUser$/],
      ['passwords and passkeys', /Password|Passkey/],
      ['recovery and login mail', /(Recovery|Login)EmailAddress/],
      ['codes that move or prove the number', /PhoneNumberCode|PhoneNumberFirebase/],
      ['every withdrawal', /WithdrawalUrl/],
      ['identity documents', /Passport(?!ElementErrors)/],
      [
        'signing in to other services',
        /LoginUrl|ExternalLink|Oauth|WebAppUrl|WebAppLinkUrl|^(openWebApp|getMainWebApp)$/,
      ],
      ['handing over chats and gifts', /^transfer/],
      ['proxies', /(?<!Proxy)Prox(y|ies)$/],
    ])('%s', (_what, pattern) => {
      expect(functions.some(({ name }) => pattern.test(name))).toBe(true);
      expect(others(pattern)).toEqual([]);
    });

    it.each([
      'logOut',
      'close',
      'destroy',
      'deleteAccount',
      'setAccountTtl',
      'setInactiveSessionTtl',
      'getActiveSessions',
      'confirmSession',
      'terminateSession',
      'terminateAllOtherSessions',
      'getConnectedWebsites',
      'disconnectWebsite',
      'disconnectAllWebsites',
      'registerDevice',
      'processPushNotification',
      'setOption',
      'setNetworkType',
      'setBusinessConnectedBot',
      'sendGift',
      'sellGift',
      'sendPaymentForm',
    ])('%s', (name) => expect(decidedClassOf(name)).toBe('account'));

    it('whatever the gateway keeps for itself', () => {
      expect(functions.filter(({ reserved }) => reserved).length).toBeGreaterThan(30);
      expect(functions.filter((method) => method.reserved && method.class !== 'account')).toEqual([]);
    });
  });

  it.each([
    ['getChatHistory', 'read'],
    ['viewMessages', 'read'],
    ['downloadFile', 'read'],
    ['sendMessage', 'send'],
    ['deleteMessages', 'send'],
    ['getCallbackQueryAnswer', 'send'],
    ['banChatMember', 'manage'],
    ['leaveChat', 'manage'],
    ['getVideoChatRtmpUrl', 'manage'],
  ])('has %s as %s', (name, methodClass) => expect(classOf(name)).toBe(methodClass));
});
