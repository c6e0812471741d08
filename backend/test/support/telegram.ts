import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Sandbox } from '@tgcontrol/sandbox';
import type { TestApp } from './app.js';
import { master } from './app.js';
import { until } from './until.js';

/** The offline Telegram of a test file. Stop it after the application: TDLib would go looking for other servers. */
export interface TestTelegram {
  readonly sandbox: Sandbox;
  readonly control: Sandbox['control'];
  /** For the application under test. */
  readonly env: NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** Starts an empty Telegram of its own. */
export async function startTelegram(): Promise<TestTelegram> {
  const dir = mkdtempSync(join(tmpdir(), 'tgcontrol-telegram-'));
  const sandbox = await Sandbox.start({ dir });
  return {
    sandbox,
    control: sandbox.control,
    env: { ...sandbox.env },
    stop: async () => {
      await sandbox.stop();
      rmSync(dir, { recursive: true, force: true });
    },
  };
}

/** An answer of the API, as far as tests look at it. */
export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: {
    readonly ok: boolean;
    readonly result?: Record<string, unknown> & { readonly id?: string };
    readonly sends?: readonly Record<string, unknown>[];
    readonly next_cursor?: string;
    readonly error?: Record<string, unknown>;
  };
}

/** The API as its users call it, with the master token. */
export class ApiClient {
  constructor(private readonly app: TestApp) {}

  async get(path: string): Promise<Answer> {
    return this.app.http().get(path).set(master);
  }

  async post(path: string, body: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    return this.app
      .http()
      .post(path)
      .set({ ...master, ...headers })
      .send(body);
  }

  async patch(path: string, body: object): Promise<Answer> {
    return this.app.http().patch(path).set(master).send(body);
  }

  async delete(path: string): Promise<Answer> {
    return this.app.http().delete(path).set(master);
  }

  /** @throws Error for a refusal, with its envelope */
  async must(answer: Promise<Answer>): Promise<Record<string, unknown> & { readonly id: string }> {
    const { status, body } = await answer;
    if (status !== 200) {
      throw new Error(`${status}: ${JSON.stringify(body)}`);
    }
    return { id: '', ...body.result };
  }

  async createApp(): Promise<string> {
    const app = await this.must(this.post('/v1/apps', { api_id: 12345, api_hash: '0123456789abcdef0123456789abcdef' }));
    return String(app['app_id']);
  }

  async sessions(): Promise<readonly Record<string, unknown>[]> {
    const { body } = await this.get('/v1/sessions');
    return body.result as unknown as readonly Record<string, unknown>[];
  }

  /**
   * The session as the list has it, once it is as expected there: lists are read from the registry, which its worker writes after
   * it has told of a change itself.
   */
  lists(id: string, expected: Readonly<Record<string, unknown>>): Promise<Record<string, unknown>> {
    return until('the list', async () => {
      const row = (await this.sessions()).find((session) => session['id'] === id) ?? {};
      expect(row).toMatchObject(expected);
      return row;
    });
  }

  /** The session's state; empty when it was refused. */
  async state(path: string): Promise<Record<string, unknown>> {
    return (await this.get(path)).body.result ?? {};
  }

  /** The session's state once it has this status. */
  becomes(path: string, status: string): Promise<Record<string, unknown>> {
    return until(status, async () => {
      const seen = await this.state(path);
      return seen['status'] === status && seen;
    });
  }

  call(path: string, method: string, params?: object): Promise<Answer> {
    return this.post(`${path}/call`, { method, ...(params && { params }) });
  }
}
