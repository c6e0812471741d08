export { WorkersPage } from './workers-page';
