export { ProxyEntity } from './proxy.entity.js';
