export { ProxiesPage } from './proxies-page';
export { NewProxyDialog } from './proxy-dialogs';
export { ProxyTestResult, useProxyTest } from './proxy-test';
