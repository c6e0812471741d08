export { AppEntity } from './app.entity.js';
