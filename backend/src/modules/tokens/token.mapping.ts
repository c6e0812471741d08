import type { TokenCaller } from '../../common/http/index.js';
import type { MeDto, TokenDto } from './token.dto.js';
import type { ListedToken } from './tokens.service.js';

/** A token as the API has it. */
export function toTokenDto({ token, appIds, sessionIds, formerSecretsUntil }: ListedToken): TokenDto {
  return {
    id: token.id,
    ...(token.name !== null && { name: token.name }),
    prefix: token.prefix,
    enabled: token.enabled,
    all_sessions: token.allSessions,
    app_ids: appIds,
    session_ids: sessionIds,
    classes: token.classes,
    ...(token.methods !== null && { methods: token.methods }),
    ...(token.chats !== null && { chats: token.chats.map(Number) }),
    ...(token.expiresAt !== null && { expires_at: token.expiresAt.toISOString() }),
    pool_ids: token.poolIds,
    pool_access: token.poolAccess,
    created_at: token.createdAt.toISOString(),
    ...(formerSecretsUntil && { former_secrets_until: formerSecretsUntil.toISOString() }),
    ...(token.lastUsedAt !== null && { last_used_at: token.lastUsedAt.toISOString() }),
  };
}

/** What of a token is known wherever it is admitted: all that it may do. */
export function toRightsDto({ tokenId, name, scope, rights }: TokenCaller): Omit<MeDto, 'kind'> {
  const { allSessions, appIds, sessionIds, pools } = scope;
  return {
    id: tokenId,
    ...(name !== undefined && { name }),
    enabled: true,
    all_sessions: allSessions,
    app_ids: [...appIds].sort(),
    session_ids: [...sessionIds].sort(),
    ...rights,
    pool_ids: [...(pools?.keys() ?? [])],
    pool_access: [...(pools?.values() ?? [])][0] ?? 'read',
  };
}
