export { BotPoolModule } from './bot-pool.module.js';
