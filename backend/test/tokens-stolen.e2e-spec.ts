import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type TestApp, master, startApp } from './support/app.js';
import { textContent } from './support/messages.js';
import { type Answer, ApiClient, startTelegram, type TestTelegram } from './support/telegram.js';
import { until } from './support/until.js';
import { loginUser } from './support/users.js';

const PHONE = '15550711';
const SERVICE = 777_000;
const FORWARDED = { '@type': 'inputMessageForwarded', from_chat_id: SERVICE, message_id: 1048576 };

/** Every way we know to read the chat of the login codes by naming it. */
const READS: readonly (readonly [method: string, params: object])[] = [
  ['getChat', { chat_id: SERVICE }],
  ['getChat', { chat_id: String(SERVICE) }],
  ['getChat', { chat_id: ` ${SERVICE} ` }],
  ['getChatHistory', { chat_id: SERVICE, limit: 10 }],
  ['getMessage', { chat_id: SERVICE, message_id: 1048576 }],
  ['getMessages', { chat_id: SERVICE, message_ids: [1048576] }],
  ['getMessageLocally', { chat_id: SERVICE, message_id: 1048576 }],
  ['getRepliedMessage', { chat_id: SERVICE, message_id: 1048576 }],
  ['getChatMessageByDate', { chat_id: SERVICE, date: 2_000_000_000 }],
  ['searchChatMessages', { chat_id: SERVICE, query: '', limit: 10 }],
  ['getChatPinnedMessage', { chat_id: SERVICE }],
  ['translateMessageText', { chat_id: SERVICE, message_id: 1048576, to_language_code: 'de' }],
  ['openChat', { chat_id: SERVICE }],
  ['createPrivateChat', { user_id: SERVICE, force: true }],
  ['createPrivateChat', { user_id: String(SERVICE) }],
  ['getUserFullInfo', { user_id: SERVICE }],
  ['getSavedMessagesTopicHistory', { saved_messages_topic_id: SERVICE, limit: 10 }],
  ['forwardMessages', { chat_id: 1, from_chat_id: SERVICE, message_ids: [1048576] }],
  ['forwardMessages', { chat_id: SERVICE, from_chat_id: 1, message_ids: [1048576] }],
  ['sendMessage', { chat_id: 1, input_message_content: FORWARDED }],
  ['sendMessageAlbum', { chat_id: 1, input_message_contents: [FORWARDED] }],
  ['sendMessage', { chat_id: 1, reply_to: { '@type': 'inputMessageReplyToExternalMessage', chat_id: SERVICE } }],
  ['createChatFolder', { folder: { '@type': 'chatFolder', included_chat_ids: [SERVICE] } }],
  ['addChatToList', { chat_id: SERVICE, chat_list: { '@type': 'chatListArchive' } }],
];

/** Ways that name no chat: what they tell must be without it. */
const SEARCHES: readonly (readonly [method: string, params: object])[] = [
  ['getChats', { limit: 100 }],
  ['loadChats', { limit: 100 }],
  ['searchChats', { query: 'Telegram', limit: 10 }],
  ['searchMessages', { query: 'code', limit: 100 }],
  ['searchMessages', { query: '', limit: 100 }],
  ['getCurrentState', {}],
  ['getContacts', {}],
  ['getTopChats', { category: { '@type': 'topChatCategoryUsers' }, limit: 10 }],
  ['getRecentlyOpenedChats', { limit: 10 }],
  ['getChatNotificationSettingsExceptions', {}],
  ['getMessageLinkInfo', { url: `tg://openmessage?user_id=${SERVICE}&message_id=1` }],
  ['getInternalLinkType', { link: `tg://openmessage?user_id=${SERVICE}` }],
  ['searchUserByPhoneNumber', { phone_number: '+42777' }],
  ['searchPublicChat', { username: 'telegram' }],
];

/** Ways to take the account over, or to end it. */
const TAKEOVERS = [
  'confirmQrCodeAuthentication',
  'getActiveSessions',
  'terminateAllOtherSessions',
  'terminateSession',
  'confirmSession',
  'setInactiveSessionTtl',
  'getPasswordState',
  'setPassword',
  'requestPasswordRecovery',
  'recoverPassword',
  'resetPassword',
  'setRecoveryEmailAddress',
  'setLoginEmailAddress',
  'createTemporaryPassword',
  'addLoginPasskey',
  'sendPhoneNumberCode',
  'checkPhoneNumberCode',
  'deleteAccount',
  'setAccountTtl',
  'transferChatOwnership',
  'getLoginUrl',
  'getExternalLink',
  'getWebAppUrl',
  'acceptOauthRequest',
  'registerDevice',
  'processPushNotification',
  'setOption',
  'setNetworkType',
  'getPassportElement',
  'transferGift',
  'getStarWithdrawalUrl',
  'setBusinessConnectedBot',
];

/** What is kept from everybody. */
const RESERVED = [
  'logOut',
  'close',
  'destroy',
  'setTdlibParameters',
  'setDatabaseEncryptionKey',
  'requestQrCodeAuthentication',
  'checkAuthenticationPassword',
  'getProxies',
  'pingProxy',
  'testProxy',
  'addProxy',
  'disableProxy',
  'setLogStream',
  'addLogMessage',
  'testReturnError',
];

describe('a stolen token of read, send and manage gets', () => {
  let telegram: TestTelegram;
  let app: TestApp;
  let path: string;
  let foreign: string;
  let code: string;
  let sessionId: string;
  let token: Record<string, string>;

  beforeAll(async () => {
    telegram = await startTelegram();
    telegram.env['TDLIB_PROXY_ONLY'] = 'true';
    app = await startApp({ env: telegram.env });
    const api = new ApiClient(app);
    const appId = await api.createApp();
    const user = await loginUser(api, telegram, appId, PHONE);
    ({ path, id: sessionId } = user);
    ({ path: foreign } = await loginUser(api, telegram, appId, '15550712'));
    const made = await api.must(api.post('/v1/tokens', { session_ids: [sessionId] }));
    token = { authorization: `Bearer ${String(made['token'])}` };
    // Somebody logs in elsewhere: the code lies in the chat.
    await api.post('/v1/user', { app_id: appId, phone: PHONE });
    code = telegram.control.newestCode(PHONE);
    await until('the code is there for the master', async () => {
      await api.call(path, 'createPrivateChat', { user_id: SERVICE, force: true });
      const { body } = await api.call(path, 'getChatHistory', { chat_id: SERVICE, limit: 10 });
      return JSON.stringify(body).includes(code);
    });
  }, 60_000);

  afterAll(async () => {
    await app.stop();
    await telegram.stop();
  });

  const call = (method: string, params: object = {}): Promise<{ status: number; text: string }> =>
    app.http().post(`${path}/call`).set(token).send({ method, params });

  it.each(READS)('nothing of the login codes by %s %j', async (method, params) => {
    const { status, text } = await call(method, params);
    expect(text).not.toContain(code);
    expect({ method, status, text }).toMatchObject({ status: 403, text: expect.stringContaining('scope_denied') });
  });

  it('nothing of them by searching, listing or links', async () => {
    for (const [method, params] of SEARCHES) {
      const { text } = await call(method, params);
      expect({ method, hasCode: text.includes(code) }).toEqual({ method, hasCode: false });
      expect({
        method,
        hasChat: /"(chat_id|id)":777000[,}]/.test(text.replace(/"@type":"user","id":777000/g, '')),
      }).toEqual({
        method,
        hasChat: false,
      });
    }
    // What is left is all that is counted: a search would tell a code digit by digit.
    for (const [method, params] of [
      ['getChats', { limit: 1 }],
      ['getChats', { limit: 100 }],
      ['searchChats', { query: 'Telegram', limit: 10 }],
    ] as const) {
      const { text } = await call(method, params);
      const { result } = JSON.parse(text) as { result: { total_count: number; chat_ids: number[] } };
      expect({ method, total: result.total_count }).toEqual({ method, total: result.chat_ids.length });
    }
  });

  it('nothing by keys that are read in two ways', async () => {
    const raw = async (params: string): Promise<{ status: number; text: string }> =>
      app.http().post(`${path}/call`).set(token).type('json').send(`{"method":"getChatHistory","params":${params}}`);
    for (const params of [
      `{"limit":10,"chat_id":1,"chat_id":${SERVICE}}`,
      `{"limit":10,"chat_id":${SERVICE},"chat_id":1}`,
      `{"limit":10,"chat\\u005fid":${SERVICE}}`,
      `{"limit":10,"chat_id":7.77e5}`,
      `{"limit":10,"chat_id":777000.0}`,
      `{"@type":"getChatHistory","limit":10,"chat_id":[${SERVICE}]}`,
      `{"@type":"getMe","limit":10,"chat_id":${SERVICE}}`,
    ]) {
      const { status, text } = await raw(params);
      expect({ params, isRefused: status >= 400, hasCode: text.includes(code) }).toEqual({
        params,
        isRefused: true,
        hasCode: false,
      });
    }
  });

  it('nothing by a stream or a webhook of updates, nor by their preview', async () => {
    const subscriptions = `${path}/updates/subscriptions`;
    const made = await app.http().post(subscriptions).set(token).send({ kind: 'stream' }).expect(200);
    const { id } = (made.body as { result: { id: string } }).result;
    const api = new ApiClient(app);
    const all = await api.must(api.post(subscriptions, { kind: 'stream' }));
    await app.http().post(`/v1/user/${sessionId}/call`).set(master).send({ method: 'getMe' }).expect(200);
    const again = telegram.control.newestCode(PHONE);
    await api.call(path, 'deleteChatHistory', { chat_id: SERVICE });
    await api.call(path, 'sendMessage', {
      chat_id: SERVICE,
      input_message_content: { '@type': 'inputMessageText', text: { '@type': 'formattedText', text: 'to the codes' } },
    });
    await until('the master sees it', async () =>
      (await app.http().get(`${subscriptions}/${all.id}/events?limit=1000`).set(master)).text.includes('777000'),
    );
    const seen = await app.http().get(`${subscriptions}/${id}/events?limit=1000`).set(token).expect(200);
    for (const secret of [code, again, '"chat_id":777000', 'to the codes']) expect(seen.text).not.toContain(secret);
    const foreignEvents = await app.http().get(`${subscriptions}/${all.id}/events`).set(token);
    expect(foreignEvents.status).toBe(404);
  });

  it('nothing that waits for its webhook of chats and classes that were taken from it', async () => {
    const api = new ApiClient(app);
    const made = await api.must(api.post('/v1/tokens', { session_ids: [sessionId], classes: ['read', 'account'] }));
    const bearer = { authorization: `Bearer ${String(made['token'])}` };
    // Nobody may be reached there: what is delivered waits.
    const answer = await app
      .http()
      .post(`${path}/updates/subscriptions`)
      .set(bearer)
      .send({ url: 'http://localhost:9/', filters: { types: ['updateNewMessage'] } })
      .expect(200);
    const { id } = (answer.body as { result: { id: string } }).result;
    const deliveries = `${path}/updates/subscriptions/${id}/deliveries`;
    const listed = async (): Promise<{ readonly id: string; readonly status: string }[]> =>
      ((await app.http().get(deliveries).set(bearer).expect(200)).body as { result: { id: string; status: string }[] })
        .result;
    const waiting = await until('a delivery waits', async () => {
      await api.call(path, 'sendMessage', { chat_id: SERVICE, input_message_content: textContent('kept back') });
      return (await listed())[0];
    });
    expect((await app.http().get(`${deliveries}/${waiting.id}`).set(bearer)).text).toContain('kept back');
    await api.must(api.patch(`/v1/tokens/${made.id}`, { classes: ['read'] }));
    expect(await listed()).toEqual([]);
    expect((await app.http().get(`${deliveries}/${waiting.id}`).set(bearer)).status).toBe(404);
    expect((await app.http().post(`${deliveries}/${waiting.id}/retry`).set(bearer).send({})).status).toBe(404);
    await api.must(api.post(`${deliveries}/${waiting.id}/retry`));
    await until('it is given up', async () => {
      const { body } = await api.get(`${deliveries}/${waiting.id}`);
      return JSON.stringify(body.result?.['log'] ?? '').includes('may not see it');
    });
  });

  it('nothing that was answered before chats and classes were taken from it, by the same Idempotency-Key', async () => {
    const api = new ApiClient(app);
    const { id: ownId } = await api.must(api.call(path, 'getMe'));
    const made = await api.must(
      api.post('/v1/tokens', { session_ids: [sessionId], classes: ['read', 'send', 'account'] }),
    );
    const ask = (key: string, method: string, params: object): Promise<Answer> =>
      api.post(
        `${path}/call`,
        { method, params },
        { authorization: `Bearer ${String(made['token'])}`, 'idempotency-key': key },
      );
    const calls = [
      ['sent', 'sendMessage', { chat_id: ownId, input_message_content: textContent('answered once') }],
      ['read', 'getChatHistory', { chat_id: SERVICE, limit: 10 }],
      ['listed', 'getChats', { limit: 100 }],
    ] as const;
    const repeat = async (): Promise<readonly unknown[]> => {
      const answers: unknown[] = [];
      for (const [key, method, params] of calls) {
        const { status, headers, body } = await ask(key, method, params);
        const text = JSON.stringify(body.result ?? null);
        answers.push([
          key,
          status,
          headers['idempotent-replayed'],
          body.error?.['code'],
          text.includes(String(SERVICE)),
        ]);
      }
      return answers;
    };
    await repeat();
    expect(await repeat()).toEqual([
      ['sent', 200, 'true', undefined, false],
      ['read', 200, 'true', undefined, true],
      ['listed', 200, 'true', undefined, true],
    ]);
    await api.must(api.patch(`/v1/tokens/${made.id}`, { classes: ['read'] }));
    expect(await repeat()).toEqual([
      ['sent', 403, undefined, 'scope_denied', false],
      ['read', 403, undefined, 'scope_denied', false],
      ['listed', 200, 'true', undefined, false],
    ]);
    await api.must(api.patch(`/v1/tokens/${made.id}`, { classes: ['read', 'send', 'account'], chats: [1] }));
    expect(await repeat()).toEqual(calls.map(([key]) => [key, 403, undefined, 'scope_denied', false]));
    await api.must(api.patch(`/v1/tokens/${made.id}`, { chats: null, methods: ['getMe'] }));
    expect(await repeat()).toEqual(calls.map(([key]) => [key, 403, undefined, 'scope_denied', false]));
    await api.must(api.patch(`/v1/tokens/${made.id}`, { methods: null, enabled: false }));
    expect(await repeat()).toEqual(calls.map(([key]) => [key, 403, undefined, 'token_disabled', false]));
  });

  it.each(TAKEOVERS)('no way to take the account over: %s', async (method) => {
    const { status, text } = await call(method);
    expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('"class":"account"') as string });
    const executed = await app.http().post('/v1/execute').set(token).send({ method, params: {} });
    expect(executed.status).toBe(403);
  });

  it.each(RESERVED)('nothing that is reserved: %s', async (method) => {
    const { status, text } = await call(method);
    expect({ status, text }).toEqual({ status: 403, text: expect.stringContaining('method_reserved') as string });
  });

  it('no file of the server, and no upload of others', async () => {
    const upload = await app
      .http()
      .post('/v1/files?name=secret.txt')
      .set({ ...master, 'content-type': 'text/plain' })
      .send('of the master')
      .expect(200);
    const { path: file } = (upload.body as { result: { path: string } }).result;
    const uploadId = file.split('/').at(-2) ?? '';
    for (const document of [
      { '@type': 'inputFileLocal', path: file },
      { '@type': 'inputFileLocal', path: '/etc/passwd' },
      { '@type': 'inputFileLocal', path: `${app.dataDir}/secrets.json` },
      { '@type': 'inputFileGenerated', original_path: '/etc/passwd', conversion: '#url#' },
    ]) {
      const { status, text } = await call('sendMessage', {
        chat_id: 1,
        input_message_content: { '@type': 'inputMessageDocument', document },
      });
      expect({ document, status, text }).toMatchObject({ status: 403 });
    }
    const numeric = await call('sendMessage', {
      chat_id: 1,
      input_message_content: {
        '@type': 'inputMessageDocument',
        document: { '@type': 2056030919, path: '/etc/passwd' },
      },
    });
    expect(numeric.status).toBe(400);
    for (const route of [`/v1/files/${uploadId}`]) {
      expect((await app.http().get(route).set(token)).status).toBe(404);
      expect((await app.http().delete(route).set(token)).status).not.toBe(500);
    }
    expect((await app.http().get(`/v1/files/${uploadId}`).set(master)).status).toBe(200);
  });

  it('no request of ours into the network behind', async () => {
    for (const url of [
      'http://127.0.0.1:5432/',
      'http://[::1]/',
      'http://169.254.169.254/latest/meta-data',
      'http://10.0.0.1/',
      'http://[::ffff:127.0.0.1]/',
      'http://0x7f000001/',
      'file:///etc/passwd',
      'gopher://example.com/',
    ]) {
      const { status } = await app.http().post(`${path}/updates/subscriptions`).set(token).send({ url });
      expect({ url, status }).toEqual({ url, status: 400 });
    }
    // A name is looked up when it is dialled, and what it means then is what counts.
    let hits = 0;
    const inside = createServer((_request, response) => {
      hits += 1;
      response.end();
    });
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve));
    const { port } = inside.address() as AddressInfo;
    const made = await app
      .http()
      .post(`${path}/updates/subscriptions`)
      .set(token)
      .send({ url: `http://localhost:${port}/` })
      .expect(200);
    const { id } = (made.body as { result: { id: string } }).result;
    await app.http().post(`${path}/updates/subscriptions/${id}/test`).set(token).send({});
    await until('the attempt has failed', async () => {
      const { body } = await app.http().get(`${path}/updates/subscriptions/${id}`).set(token);
      return (body as { result: { last_error?: string } }).result.last_error;
    });
    inside.close();
    expect(hits).toBe(0);
  });

  it('no other session, and nothing that is for the master or for our own processes', async () => {
    for (const [method, route, expected] of [
      ['get', foreign, 403],
      ['post', `${foreign}/call`, 403],
      ['get', `${foreign}/sends`, 403],
      ['get', `${foreign}/files/1`, 403],
      ['get', `${foreign}/updates/subscriptions`, 403],
      ['post', `${path}/stop`, 403],
      ['delete', path, 403],
      ['post', `${path}/login/code`, 403],
      ['get', '/v1/tokens', 403],
      ['post', '/v1/tokens', 403],
      ['get', '/v1/audit', 403],
      ['get', '/v1/proxies', 403],
      ['get', '/v1/apps', 403],
      ['get', '/v1/workers', 403],
      ['get', `/internal/sessions/${sessionId}`, 404],
      ['post', '/internal/execute', 404],
    ] as const) {
      const request = app.http()[method](route).set(token);
      const { status } = await (method === 'post' ? request.send({ method: 'getMe' }) : request);
      expect({ route, status }).toEqual({ route, status: expected });
    }
    const bearer = token['authorization']?.slice('Bearer '.length);
    expect((await app.http().post('/v1/console/session').send({ token: bearer })).status).toBe(403);
    const { text } = await app.http().get('/v1/sessions').set(token).expect(200);
    expect(text).not.toContain(PHONE);
  });

  it('but what it was given for', async () => {
    const { status, text } = await call('getMe');
    expect([status, text.includes('"@type":"user"')]).toEqual([200, true]);
  });
});
