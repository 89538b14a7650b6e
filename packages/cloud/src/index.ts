export { bytesIn, type CloudConfig, configFrom, defaultConfig } from './config.ts';
export {
  type BackupSecretConfig,
  type BackupTarget,
  backupSecretFrom,
  backupTarget,
} from './config-backup.ts';
export { type KnownUser, USER_ACTIONS, type UserAction } from './identity/change-user.ts';
export { type BackupSummary, backUp, restore, verify } from './operate-backup.ts';
export { type CheckedObject, type CheckReport, checkServer } from './operate-check.ts';
export {
  auditOfServer,
  changeOperators,
  describeServer,
  failedMails,
  type KnownOperator,
  operators,
  runningGateways,
  setLimits,
  setUserLimit,
  type TenantOfServer,
  tenantsOfServer,
} from './operate-server.ts';
export { changeUsers, knownUsers } from './operate-users.ts';
export { approveWaitlist, type Waiting, waitlist } from './operate-waitlist.ts';
export { type Cloud, startCloud } from './start.ts';
export { operatorNote } from './tokens/operator-link.ts';
