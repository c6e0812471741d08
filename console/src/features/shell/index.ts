export { ConsoleRoot } from './console-root';
