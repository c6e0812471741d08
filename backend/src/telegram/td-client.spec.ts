import { Departure } from './departure.js';
import { TdClient } from './td-client.js';
import type { TdJson } from './td-json.js';

/** Stands in for the library: records what is sent and says what it is told to. */
class FakeTdJson {
  readonly sent: { readonly '@type': string; readonly '@extra'?: number; readonly [member: string]: unknown }[] = [];
  forgotten = 0;
  private listener: (message: string) => void = () => undefined;

  createClient(listener: (message: string) => void): number {
    this.listener = listener;
    return 7;
  }

  forgetClient(): void {
    this.forgotten += 1;
  }

  send(_clientId: number, request: string): void {
    this.sent.push(JSON.parse(request) as FakeTdJson['sent'][number]);
  }

  answer(type: string, object: string): void {
    const query = this.sent.findLast((sent) => sent['@type'] === type);
    this.listener(`${object.slice(0, -1)},"@extra":${query?.['@extra']},"@client_id":7}`);
  }

  update(object: string): void {
    this.listener(`${object.slice(0, -1)},"@client_id":7}`);
  }
}

const CLOSED = '{"@type":"updateAuthorizationState","authorization_state":{"@type":"authorizationStateClosed"}}';
const PROXY = { type: 'socks5', host: '10.0.0.5', port: 1080 } as const;

function open(options: { proxy?: typeof PROXY; maxCallsInFlight?: number } = {}) {
  const td = new FakeTdJson();
  const updates: string[] = [];
  const failures: unknown[] = [];
  const client = new TdClient(td as Partial<TdJson> as TdJson, {
    onUpdate: (type) => {
      updates.push(type);
      if (type === 'updateBroken') throw new Error('handler');
    },
    onHandlerError: (error) => failures.push(error),
    parameters: { api_id: 1 },
    proxy: options.proxy,
    maxCallsInFlight: options.maxCallsInFlight ?? 10,
  });
  return { td, client, updates, failures };
}

const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('TdClient', () => {
  it('gives the answer as TDLib wrote it', async () => {
    const { td, client } = open();
    const call = client.invoke('{"@type":"getMe"}');
    td.answer('getMe', '{"@type":"user","id":"9223372036854775807"}');
    await expect(call).resolves.toBe('{"@type":"user","id":"9223372036854775807"}');
  });

  it("throws TDLib's errors with its code, and the wait of a flood", async () => {
    const { td, client } = open();
    const call = client.invoke('{"@type":"getMe"}');
    td.answer('getMe', '{"@type":"error","code":429,"message":"Too Many Requests: retry after 17"}');
    await expect(call).rejects.toMatchObject({ tdCode: 429, status: 429, retryAfterSeconds: 17, source: 'tdlib' });
  });

  it('hands an answer that comes after its call was given up to who wants it, once', async () => {
    const { td, client } = open();
    const late: string[] = [];
    const caller = new Departure();
    const call = client.invoke('{"@type":"sendMessage"}', { caller, onLateAnswer: (answer) => late.push(answer) });
    caller.leave();
    await expect(call).rejects.toMatchObject({ code: 'call_abandoned' });
    td.answer('sendMessage', '{"@type":"message","id":1}');
    td.answer('sendMessage', '{"@type":"message","id":1}');
    expect(late).toEqual(['{"@type":"message","id":1}']);
    const answered = client.invoke('{"@type":"getMe"}', { onLateAnswer: (answer) => late.push(answer) });
    td.answer('getMe', '{"@type":"user"}');
    await answered;
    expect(late).toHaveLength(1);
  });

  it('sends the proxy before the parameters, and removes every other one', async () => {
    const { td, client } = open({ proxy: PROXY });
    const started = client.start();
    expect(td.sent.map((query) => query['@type'])).toEqual(['addProxy', 'setTdlibParameters']);
    expect(td.sent[0]).toMatchObject({ enable: true, proxy: { server: '10.0.0.5', port: 1080 } });
    td.answer('addProxy', '{"@type":"addedProxy","id":3}');
    td.answer('setTdlibParameters', '{"@type":"ok"}');
    await settled();
    td.answer(
      'getProxies',
      '{"@type":"addedProxies","proxies":[{"@type":"addedProxy","id":1},{"@type":"addedProxy","id":3}]}',
    );
    await settled();
    expect(td.sent.filter((query) => query['@type'] === 'removeProxy')).toEqual([
      expect.objectContaining({ proxy_id: 1 }),
    ]);
    td.answer('removeProxy', '{"@type":"ok"}');
    await started;
  });

  it('disables and removes what an earlier run left when it has no proxy', async () => {
    const { td, client } = open();
    const started = client.start();
    expect(td.sent.map((query) => query['@type'])).toEqual(['disableProxy', 'setTdlibParameters']);
    td.answer('disableProxy', '{"@type":"ok"}');
    td.answer('setTdlibParameters', '{"@type":"ok"}');
    await settled();
    td.answer('getProxies', '{"@type":"addedProxies","proxies":[{"@type":"addedProxy","id":1}]}');
    await settled();
    td.answer('removeProxy', '{"@type":"ok"}');
    await started;
  });

  it('does not stay open when its proxy is refused', async () => {
    const { td, client } = open({ proxy: PROXY });
    const started = client.start();
    td.answer('addProxy', '{"@type":"error","code":400,"message":"Wrong proxy secret"}');
    td.answer('setTdlibParameters', '{"@type":"ok"}');
    await expect(started).rejects.toThrow('Wrong proxy secret');
    expect(td.sent.at(-1)).toEqual({ '@type': 'close' });
  });

  it('refuses calls above the cap and takes them again when one has left', () => {
    const { client } = open({ maxCallsInFlight: 1 });
    const leave = client.enter();
    expect(client.callsInFlight).toBe(1);
    expect(() => client.enter()).toThrow(expect.objectContaining({ code: 'too_many_calls', status: 503 }) as Error);
    leave();
    expect(client.callsInFlight).toBe(0);
    client.enter();
  });

  it('ends the call of a caller who leaves, and drops the late answer', async () => {
    const { td, client } = open();
    const caller = new Departure();
    const call = client.invoke('{"@type":"getMe"}', { caller });
    caller.leave();
    await expect(call).rejects.toMatchObject({ code: 'call_abandoned' });
    td.answer('getMe', '{"@type":"ok"}');
    await expect(client.invoke('{"@type":"getMe"}', { caller })).rejects.toMatchObject({ code: 'call_abandoned' });
  });

  it('says that TDLib gets a query only when it gets it', () => {
    const { td, client } = open();
    const caller = new Departure();
    let sent = 0;
    const onSend = (): void => void (sent += 1);
    void client.invoke('{"@type":"getMe"}', { caller, onSend }).catch(() => undefined);
    expect([sent, td.sent.length]).toEqual([1, 1]);
    caller.leave();
    void client.invoke('{"@type":"getMe"}', { caller, onSend }).catch(() => undefined);
    expect([sent, td.sent.length]).toEqual([1, 1]);
  });

  it('ends a call at its deadline', async () => {
    const { client } = open();
    await expect(client.invoke('{"@type":"getMe"}', { timeoutMs: 1 })).rejects.toMatchObject({ status: 504 });
  });

  it('refuses what is in flight, and everything after, once TDLib has closed', async () => {
    const { td, client, updates } = open();
    const call = client.invoke('{"@type":"getMe"}');
    const closed = client.close();
    expect(td.sent.at(-1)).toEqual({ '@type': 'close' });
    td.update(CLOSED);
    await closed;
    await expect(call).rejects.toMatchObject({ code: 'session_closed' });
    await expect(client.invoke('{"@type":"getMe"}')).rejects.toMatchObject({ code: 'session_closed' });
    await client.close();
    expect(td.forgotten).toBe(1);
    expect(updates).toEqual(['updateAuthorizationState']);
  });

  it('says that the session was closed for what TDLib aborts while it closes', async () => {
    const { td, client } = open();
    const aborted = '{"@type":"error","code":500,"message":"Request aborted"}';
    const before = client.invoke('{"@type":"getMe"}');
    td.answer('getMe', aborted);
    await expect(before).rejects.toMatchObject({ source: 'tdlib', code: 500 });
    const during = client.invoke('{"@type":"getChat"}');
    const closing = client.close();
    td.answer('getChat', aborted);
    await expect(during).rejects.toMatchObject({ source: 'gateway', code: 'session_closed', status: 503 });
    td.update(CLOSED);
    await closing;
  });

  it('survives a handler that throws', () => {
    const { td, updates, failures } = open();
    td.update('{"@type":"updateBroken"}');
    td.update('{"@type":"updateOption","name":"x"}');
    expect(updates).toEqual(['updateBroken', 'updateOption']);
    expect(failures).toEqual([new Error('handler')]);
  });
});
