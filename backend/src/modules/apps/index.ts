export { AppEntity } from './app.entity.js';
export { AppsModule } from './apps.module.js';
export { LocalAppVault } from './local-app-vault.js';
