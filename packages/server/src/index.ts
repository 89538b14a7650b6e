/** `@fixpoint/server`: manages databases and users of an application from its back end. */
export { FixpointError, isFixpointError } from '@fixpoint/protocol';
export {
  createServer,
  type NewDatabase,
  type OwnUser,
  type Rights,
  type Server,
  type ServerDatabase,
  type ServerOptions,
  type ServerUser,
  type UserToken,
} from './create-server.ts';
export type { DatabaseShare, NewShare, Shares } from './shares.ts';
