export { LoginAgainDialog } from './login-again';
export { LoginDialog } from './login-dialog';
