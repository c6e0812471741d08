export { ProxiesPage } from './proxies-page';
export { NewProxyDialog } from './proxy-dialogs';
