import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { DataSource } from 'typeorm';
import { until } from '../../../test/support/until.js';
import { AppConfig } from '../../config/index.js';
import { DatabaseClock } from '../db/database-clock.js';
import { UnitOfWork } from '../db/unit-of-work.js';
import { DeadlineError, InUseError, WorkerUnreachableError } from '../errors/index.js';
import { currentContext, RawJson } from '../http/index.js';
import { AppLogger } from '../log/app-logger.js';
import { CallLine, type LineCall, fitsLine, readCall, writeCall } from './call-line.js';
import { CallLines } from './call-lines.js';
import { CallerSignature } from './caller-signature.js';

const TOKEN = 'a-cluster-token-for-these-tests-only';
const config = AppConfig.fromEnv({
  ROLE: 'worker',
  CLUSTER_TOKEN: TOKEN,
  MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
  DATABASE_URL: 'postgresql://127.0.0.1/none',
});

function callOf(body: string): LineCall {
  const caller = new CallerSignature(TOKEN).sign({ kind: 'master', via: 'token' });
  return { kind: 'bot', sessionId: 'some-id', requestId: 'r-1', caller, body };
}

/** Something that happens once. */
function signal(): { readonly given: Promise<void>; readonly give: () => void } {
  let give: () => void = () => undefined;
  const given = new Promise<void>((resolve) => {
    give = resolve;
  });
  return { given, give: () => give() };
}

describe('a call line', () => {
  let lines: CallLines;
  let server: Server;
  let line: CallLine;
  let sockets: Socket[];
  let farewells: (() => void)[];

  beforeEach(async () => {
    const clock = new DatabaseClock(new UnitOfWork(new DataSource({ type: 'postgres' })));
    lines = new CallLines(config, clock, AppLogger.create('silent'));
    sockets = [];
    farewells = [];
    server = createServer();
    server.on('upgrade', (_request, socket: Socket, head: Buffer) => {
      sockets.push(socket);
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: tgcontrol-calls\r\n\r\n');
      farewells.push(lines.accept(socket, head, '127.0.0.1'));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    line = new CallLine({ id: 'w1', addr: `http://127.0.0.1:${port}` }, `Bearer ${TOKEN}`);
  });

  afterEach(() => {
    line.close();
    server.close();
    server.closeAllConnections();
  });

  const ask = (body: string, timeoutMs = 5_000): ReturnType<CallLine['call']> =>
    line.call(callOf(body), timeoutMs, undefined);

  it('carries many calls at once over one connection, each with its own answer', async () => {
    lines.serveWith(({ body }) => Promise.resolve(new RawJson(body)));
    const answers = await Promise.all(Array.from({ length: 500 }, (_, index) => ask(`{"n":${index},"é":"🚀"}`)));
    expect(answers.map(({ text }) => text)).toEqual(
      Array.from({ length: 500 }, (_, index) => `{"ok":true,"result":{"n":${index},"é":"🚀"}}`),
    );
    expect(sockets).toHaveLength(1);
  });

  it('tells the worker who asks, and under which request id', async () => {
    lines.serveWith(() => {
      const { requestId, caller } = currentContext() ?? {};
      return Promise.resolve({ requestId, caller });
    });
    const { text } = await ask('{}');
    expect(JSON.parse(text)).toEqual({
      ok: true,
      result: { requestId: 'r-1', caller: { kind: 'master', via: 'token' } },
    });
  });

  it('lets a short answer pass a long one, and brings the long one whole', async () => {
    const long = JSON.stringify('ü'.repeat(5_000_000));
    lines.serveWith(({ body }) => Promise.resolve(new RawJson(body === '"long"' ? long : body)));
    const order: string[] = [];
    const slow = ask('"long"').then(({ text }) => {
      order.push('long');
      return text;
    });
    const quick = ask('"short"').then(() => order.push('short'));
    await quick;
    expect(await slow).toBe(`{"ok":true,"result":${long}}`);
    expect(order).toEqual(['short', 'long']);
  });

  it('brings a failure with its status', async () => {
    lines.serveWith(() => Promise.reject(new InUseError('app', [])));
    const { isFailure, text } = await ask('{}');
    expect(isFailure).toBe(true);
    expect(text).toMatch(/^409\n\{"ok":false,"error":\{/);
  });

  it('serves nobody whose identity no gateway has signed', async () => {
    lines.serveWith(() => Promise.resolve(null));
    const { text } = await line.call({ ...callOf('{}'), caller: 'forged.signature' }, 5_000, undefined);
    expect(text).toMatch(/^401\n/);
  });

  it('tells the worker that a caller has left', async () => {
    const begun = signal();
    const left = signal();
    lines.serveWith((_call, onAbandoned) => {
      onAbandoned(left.give);
      begun.give();
      return new Promise(() => undefined);
    });
    let abort: () => void = () => undefined;
    const call = line.call(callOf('{}'), 5_000, (given) => {
      abort = given;
    });
    await begun.given;
    abort();
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await left.given;
  });

  it('asks nothing for a caller that left before the line was open', async () => {
    const handler = jest.fn(() => Promise.resolve(null));
    lines.serveWith(handler);
    const call = line.call(callOf('{}'), 5_000, (abort) => abort());
    await expect(call).rejects.toMatchObject({ name: 'AbortError' });
    await ask('{}');
    expect(handler).toHaveBeenCalledTimes(1);
  });

  it('gives a call up at its deadline', async () => {
    lines.serveWith(() => new Promise(() => undefined));
    await expect(ask('{}', 20)).rejects.toThrow(DeadlineError);
  });

  it('fails what is in flight when the worker is gone, as what may have arrived, and opens anew for the next call', async () => {
    const begun = signal();
    lines.serveWith(() => {
      begun.give();
      return new Promise(() => undefined);
    });
    const call = ask('{}');
    await begun.given;
    sockets[0]?.destroy();
    const error: unknown = await call.catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WorkerUnreachableError);
    expect((error as WorkerUnreachableError).neverReached).toBe(false);
    lines.serveWith(() => Promise.resolve(null));
    await expect(ask('{}')).resolves.toMatchObject({ isFailure: false });
    expect(sockets).toHaveLength(2);
  });

  it('knows that a call did nothing when there is no connection', async () => {
    server.close();
    const error: unknown = await ask('{}').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(WorkerUnreachableError);
    expect((error as WorkerUnreachableError).neverReached).toBe(true);
  });

  it('knows of a worker that ends in order which calls it has not read, and opens anew', async () => {
    const begun = signal();
    lines.serveWith(() => {
      begun.give();
      return new Promise(() => undefined);
    });
    const reached = async (call: Promise<unknown>): Promise<boolean> => {
      const error: unknown = await call.catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(WorkerUnreachableError);
      return !(error as WorkerUnreachableError).neverReached;
    };
    const read = reached(ask('"read"'));
    await begun.given;
    farewells[0]?.();
    const unread = reached(ask('"unread"'));
    expect(await Promise.all([read, unread])).toEqual([true, false]);
    lines.serveWith(() => Promise.resolve(null));
    await expect(ask('{}')).resolves.toMatchObject({ isFailure: false });
    expect(sockets).toHaveLength(2);
  });

  it('gives a worker that says nothing for a second no new calls, and goes on when it speaks again', async () => {
    const begun = signal();
    lines.serveWith(() => {
      begun.give();
      return new Promise((resolve) => setTimeout(() => resolve(null), 500));
    });
    const slow = ask('"slow"', 60_000);
    await begun.given;
    // A slow call is no silence.
    await slow;
    const waiting = [ask('{}', 60_000)];
    sockets[0]?.pause();
    const refused = await until('a refusal', async () => {
      const call = ask('{}', 60_000);
      waiting.push(call);
      return Promise.race([call.catch((error: unknown) => error), new Promise((go) => setTimeout(go, 20))]);
    });
    expect(refused).toBeInstanceOf(WorkerUnreachableError);
    expect((refused as WorkerUnreachableError).neverReached).toBe(true);
    sockets[0]?.resume();
    for (const call of waiting.slice(0, -1)) await expect(call).resolves.toMatchObject({ isFailure: false });
    await until('its voice', () =>
      ask('{}').then(
        () => true,
        () => false,
      ),
    );
    expect(sockets).toHaveLength(1);
  });

  it('leaves a connection that speaks something else', async () => {
    lines.serveWith(() => Promise.resolve(null));
    await ask('{}');
    const [socket] = sockets;
    if (!socket) throw new Error('no connection');
    const closed = once(socket, 'close');
    socket.write('HTTP/1.1 400 Bad Request\r\n\r\n');
    await closed;
  });

  it('carries bodies up to a quarter of a MiB, counted in bytes', () => {
    expect(fitsLine('x'.repeat(200_000))).toBe(true);
    expect(fitsLine('x'.repeat(260_000))).toBe(false);
    expect(fitsLine('🚀'.repeat(62_000))).toBe(true);
    expect(fitsLine('ü'.repeat(130_000))).toBe(false);
  });

  it('takes a call apart as it was put together, whatever its body holds', () => {
    const call = callOf('{"a":"\\n"}\n\n');
    expect(readCall(writeCall(call))).toEqual(call);
    expect(() => readCall('no call')).toThrow(RangeError);
  });
});
