export { Authenticator } from './authenticator.js';
export { EventTicketEntity } from './event-ticket.entity.js';
export { EventTickets } from './event-tickets.js';
export { ApiTokenAppEntity, ApiTokenEntity, ApiTokenSessionEntity } from './token.entity.js';
export { coverageSql } from './token-scope.js';
export { TokenUsage } from './token-usage.js';
export { TokensModule } from './tokens.module.js';
