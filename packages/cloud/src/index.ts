export { type CloudConfig, configFrom, defaultConfig } from './config.ts';
export { changeUsers, type KnownUser, knownUsers, USER_ACTIONS, type UserAction } from './operate-users.ts';
export { approveWaitlist, type Waiting, waitlist } from './operate-waitlist.ts';
export { type Cloud, startCloud } from './start.ts';
