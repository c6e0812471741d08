export { AppEntity } from './app.entity.js';
export { AppsModule } from './apps.module.js';
export { type AppCredentials, LocalAppVault } from './local-app-vault.js';
