export { TdApiModule } from './td-api.module.js';
