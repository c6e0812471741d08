export { LimitsPage } from './limits-page';
export { LimitsTab } from './limits-tab';
