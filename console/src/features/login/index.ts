export { LoginDialog } from './login-dialog';
