export { type CloudConfig, configFrom, defaultConfig } from './config.ts';
export { approveWaitlist, type Waiting, waitlist } from './operate-waitlist.ts';
export { type Cloud, startCloud } from './start.ts';
