import type { ProxyTestDto, UpdateProxyDto } from './proxy.dto.js';
import type { ProxyChange, ProxyVerdict } from './proxy-vault.js';

/** The fields that a request changes, public or internal; what it leaves out is left out. */
export function toChange(dto: UpdateProxyDto): ProxyChange {
  return Object.fromEntries(Object.entries(dto));
}

/** The answer to a test, public or internal. */
export function toTestDto(verdict: ProxyVerdict): ProxyTestDto {
  return 'reason' in verdict
    ? { reachable: false, reason: verdict.reason }
    : { reachable: true, latency_ms: verdict.latencyMs };
}
