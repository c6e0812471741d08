export { AppsPage } from './apps-page';
export { NewAppDialog } from './app-dialogs';
