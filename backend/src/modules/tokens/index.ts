export { Authenticator } from './authenticator.js';
export { TokensModule } from './tokens.module.js';
