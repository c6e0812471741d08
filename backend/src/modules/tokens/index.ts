export { Authenticator } from './authenticator.js';
export { EventTicketEntity } from './event-ticket.entity.js';
export { EventTickets } from './event-tickets.js';
export {
  ApiTokenAppEntity,
  ApiTokenEntity,
  ApiTokenFormerSecretEntity,
  ApiTokenSessionEntity,
} from './token.entity.js';
export { ScopedTokens } from './scoped-tokens.js';
export { SessionCoverage } from './session-coverage.js';
export { coverageSql } from './token-scope.js';
export type { PoolAccess } from '../../common/http/index.js';
export { TokenUsage } from './token-usage.js';
export { TokensModule } from './tokens.module.js';
