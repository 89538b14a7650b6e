export type { Result } from '../result.ts';
export { APPLICATION_LIMITS, type ApplicationIssuer } from './application-fields.ts';
export type { Application, ApplicationGrant } from './application-requests.ts';
export { isApplicationSessionRequest } from './application-session-requests.ts';
export {
  type ApplicationUser,
  isSubject,
  type ListedApplicationUser,
  rightsIn,
} from './application-user-requests.ts';
export {
  type AdminClient,
  type AdminClientOptions,
  createAdminClient,
  loadRequests,
  reasonFor,
} from './client.ts';
export type { AdminAction, Requirement } from './define-request.ts';
export {
  CLOUD_TOKEN_SECONDS,
  CLOUD_TOKEN_SECONDS_MAX,
  handOffCode,
  isLongResultId,
} from './hand-off-code.ts';
export type {
  FailedMail,
  RunningGateway,
  ServerBackup,
  ServerRecord,
  ServerTenant,
  ServerUser,
} from './operator-requests.ts';
export {
  type Answer,
  answerTypeOf,
  type CleanPayload,
  isPublicRequest,
  isRequestType,
  type Payload,
  REQUESTS,
  type RequestType,
  type RequirementOf,
} from './requests.ts';
export type {
  ApiToken,
  AuditRecord,
  Auth,
  ByProvider,
  FoundUser,
  Invite,
  Ledger,
  LedgerUser,
  Member,
  OutTenant,
  Query,
  Right,
  Role,
  Share,
  TenantLimits,
  TokenRight,
  User,
  UserTenant,
  Writer,
} from './shapes.ts';
export { auth, PAGE_MAX } from './shapes.ts';
export type { UsedDay } from './tenant-requests.ts';
