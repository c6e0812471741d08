import { Injectable } from '@nestjs/common';
import { WorkerClient } from '../../common/cluster/index.js';
import type { ProxyCreatedDto, ProxyTestDto } from './proxy.dto.js';
import { type ProxyChange, type ProxyDraft, ProxyVault, type ProxyVerdict } from './proxy-vault.js';

/** The vault of a gateway, which has no MASTER_KEY: any worker seals for it. */
@Injectable()
export class RemoteProxyVault extends ProxyVault {
  constructor(private readonly workers: WorkerClient) {
    super();
  }

  async create(draft: ProxyDraft): Promise<string> {
    const path = '/internal/proxies';
    return (await this.workers.requestAny<ProxyCreatedDto>({ method: 'POST', path, body: draft })).proxy_id;
  }

  async change(id: string, change: ProxyChange): Promise<void> {
    const path = `/internal/proxies/${encodeURIComponent(id)}`;
    await this.workers.requestAny({ method: 'PATCH', path, body: change });
  }

  async test(id: string): Promise<ProxyVerdict> {
    const path = `/internal/proxies/${encodeURIComponent(id)}/test`;
    const { latency_ms, reason } = await this.workers.requestAny<ProxyTestDto>({
      method: 'POST',
      path,
      timeoutMs: 60_000,
    });
    return latency_ms === undefined ? { reason: reason ?? 'unknown' } : { latencyMs: latency_ms };
  }
}
