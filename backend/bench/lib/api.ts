/** The product's API as the benchmarks use it. */
export class Api {
  constructor(
    private readonly url: string,
    private readonly token: string,
  ) {}

  post<Result>(path: string, body: unknown): Promise<Result> {
    return this.ask(path, { method: 'POST', body: JSON.stringify(body) });
  }

  get<Result>(path: string): Promise<Result> {
    return this.ask(path, {});
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

  private async ask<Result>(path: string, init: { method?: string; body?: string }): Promise<Result> {
    const response = await fetch(`${this.url}${path}`, {
      ...init,
      headers: { authorization: `Bearer ${this.token}`, 'content-type': 'application/json' },
    });
    const envelope = (await response.json()) as { ok: boolean; result: Result; error?: unknown };
    if (!envelope.ok) {
      throw new Error(`${path}: ${JSON.stringify(envelope.error)}`);
    }
    return envelope.result;
  }
}
