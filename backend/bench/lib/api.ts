/** The product's API as the benchmarks use it. */
export class Api {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  get<Result>(path: string): Promise<Result> {
    return this.ask('GET', path);
  }

  post<Result>(path: string, body: unknown): Promise<Result> {
    return this.ask('POST', path, body);
  }

  private async ask<Result>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Result> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const envelope = (await response.json()) as { ok: boolean; result: Result; error?: unknown };
    if (!envelope.ok) {
      throw new Error(`${path}: ${JSON.stringify(envelope.error)}`);
    }
    return envelope.result;
  }

  async createApp(): Promise<string> {
    const { app_id } = await this.post<{ app_id: string }>('/v1/apps', {
      api_id: 12345,
      api_hash: '0123456789abcdef0123456789abcdef',
    });
    return app_id;
  }

  async createBot(appId: string, token: string): Promise<string> {
    return (await this.post<{ id: string }>('/v1/bot', { app_id: appId, token })).id;
  }
}
