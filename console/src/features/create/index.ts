export { CreateSessionDialogs } from './create-session-dialogs';
