export { NewPoolDialog } from './pool-dialogs';
export { PoolPage } from './pool-page';
export { PoolsPage } from './pools-page';
