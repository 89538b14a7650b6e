export { type CloudConfig, configFrom } from './config.ts';
export { type Cloud, startCloud } from './start.ts';
