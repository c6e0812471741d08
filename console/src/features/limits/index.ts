export { LimitsTab } from './limits-tab';
