export { type CloudConfig, configFrom, defaultConfig } from './config.ts';
export { type Cloud, startCloud } from './start.ts';
