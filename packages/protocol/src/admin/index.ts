export type { Result } from '../result.ts';
export { type AdminClient, type AdminClientOptions, createAdminClient, reasonFor } from './client.ts';
export {
  type Answer,
  type CleanPayload,
  isRequestType,
  type Payload,
  REQUESTS,
  type RequestType,
} from './requests.ts';
export type {
  Auth,
  FoundUser,
  Invite,
  Ledger,
  Member,
  OutTenant,
  Query,
  Right,
  Role,
  User,
  UserTenant,
} from './shapes.ts';
export { auth } from './shapes.ts';
