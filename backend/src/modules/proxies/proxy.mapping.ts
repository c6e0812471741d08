import type { UpdateProxyDto } from './proxy.dto.js';
import type { ProxyChange } from './proxy-vault.js';

/** The fields that a request changes, public or internal; what it leaves out is left out. */
export function toChange(dto: UpdateProxyDto): ProxyChange {
  return Object.fromEntries(Object.entries(dto));
}
