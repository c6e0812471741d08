export { KeySecretDialog } from './key-secret-dialog';
export { NewTokenDialog } from './new-token-dialog';
export { TokensPage } from './tokens-page';
