export { type CloudConfig, configFrom, defaultConfig } from './config.ts';
export {
  type BackupSecretConfig,
  type BackupTarget,
  backupSecretFrom,
  backupTarget,
} from './config-backup.ts';
export { type BackupSummary, backUp, restore, verify } from './operate-backup.ts';
export { type CheckedObject, type CheckReport, checkServer } from './operate-check.ts';
export { changeUsers, type KnownUser, knownUsers, USER_ACTIONS, type UserAction } from './operate-users.ts';
export { approveWaitlist, type Waiting, waitlist } from './operate-waitlist.ts';
export { type Cloud, startCloud } from './start.ts';
