import type { CreateAppDto, UpdateAppDto } from './app.dto.js';
import type { AppChange, AppDraft } from './app-vault.js';

/** The draft in a request, public or internal. */
export function toDraft({ api_id, api_hash, label }: CreateAppDto): AppDraft {
  return { apiId: api_id, apiHash: api_hash, ...(label !== undefined && { label }) };
}

/** The change in a request, public or internal. */
export function toChange({ api_id, api_hash, label }: UpdateAppDto): AppChange {
  return {
    ...(api_id !== undefined && { apiId: api_id }),
    ...(api_hash !== undefined && { apiHash: api_hash }),
    ...(label !== undefined && { label }),
  };
}
