import { FixpointError, urlOf } from '@fixpoint/protocol';
import { type AdminClient, createAdminClient, type Ledger } from '@fixpoint/protocol/admin';
import { granted } from './granted.ts';
import { type Shares, sharesOf } from './shares.ts';

/** Options of {@link createServer}. */
export interface ServerOptions {
  /** Address of the cloud, such as `https://cloud.example`. */
  readonly base: string;
  /** The id of the tenant. */
  readonly tenant: string | undefined;
  /**
   * An API token of the tenant with the right `users`. Keep it on the server: it can open every
   * `open-key` database of the tenant. Creating, deleting and sharing databases needs the right
   * `admin`, with which a token can do everything that its creator can do in the tenant.
   */
  readonly token: string | undefined;
  /** Sends requests. Default: the global `fetch`. */
  readonly fetch?: typeof globalThis.fetch;
}

/** The right in each database, by the id of the database. */
export type Rights = Readonly<Record<string, 'read' | 'write'>>;

/** A database in the cloud. */
export interface ServerDatabase {
  readonly ledgerId: string;
  readonly name: string;
  /** Missing while nobody has decided whether the database is end-to-end encrypted. */
  readonly kind?: 'open-key' | 'sealed';
}

/** A database to create. */
export interface NewDatabase {
  /** At least three characters; unique in the tenant. */
  readonly name: string;
  /** Whether the server can read the documents (`open-key`). Own users can open only these. */
  readonly kind: 'open-key' | 'sealed';
}

/** Facts about a user from the application. */
export interface OwnUser {
  /** The id of the application. */
  readonly app: string;
  /** The id of the user in the application's own user table. */
  readonly subject: string;
  readonly name?: string;
  /** Shown to others. Nobody verifies it. */
  readonly email?: string;
  /** Replaces all rights of the user. Without it, the rights stay as they are. */
  readonly rights?: Rights;
}

/** A user of the application, as the cloud knows them. */
export interface ServerUser {
  /** The id of the user in the cloud. History shows it as the author. */
  readonly userId: string;
  readonly subject: string;
  readonly name?: string;
  readonly email?: string;
}

/** A cloud token of a user. */
export interface UserToken {
  readonly token: string;
  /** Seconds for which the token is valid. */
  readonly expiresInSec: number;
}

/**
 * Manages the databases and users of an application. All functions reject with a FixpointError:
 * FORBIDDEN or NOT_FOUND if the API token doesn't allow the request, NOT_SIGNED_IN if it was
 * revoked, FETCH if the cloud can't be reached, and the codes that are listed.
 */
export interface Server extends Shares {
  /** Lists the databases of the tenant. */
  databases(): Promise<readonly ServerDatabase[]>;
  /**
   * Creates a database. Needs the right `admin`.
   * @throws FixpointError CONFLICT if the name is taken, LIMIT_REACHED, REQUEST_INVALID
   */
  createDatabase(database: NewDatabase): Promise<ServerDatabase>;
  /**
   * Deletes a database and its documents in the cloud. Copies on devices stay. Needs the right
   * `admin`.
   */
  deleteDatabase(ledgerId: string): Promise<void>;
  /**
   * Adds a user of the application, or changes them. A removed user comes back.
   * @throws FixpointError LIMIT_REACHED, REQUEST_INVALID
   */
  putUser(user: OwnUser): Promise<ServerUser>;
  /**
   * Ends the rights, the sessions and the tokens of a user within five seconds. The user stays out,
   * also with a new token of the issuer, until `putUser` names them again.
   */
  removeUser(user: { readonly app: string; readonly userId: string }): Promise<void>;
  /**
   * Creates a token with which a user opens one database. The page that gets it can extend it for
   * an hour. Requires that the user may read the database.
   */
  createUserToken(asked: {
    readonly app: string;
    readonly userId: string;
    readonly ledgerId: string;
  }): Promise<UserToken>;
}

/**
 * Creates a client for the back end of an application.
 * @throws FixpointError CONFIG_INVALID
 */
export function createServer({ base, tenant, token, fetch = globalThis.fetch }: ServerOptions): Server {
  const url = urlOf(base);
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new FixpointError('CONFIG_INVALID', 'base is not an http or https address');
  if (!tenant) throw new FixpointError('CONFIG_INVALID', 'tenant is empty');
  if (!token) throw new FixpointError('CONFIG_INVALID', 'token is empty');
  const auth = { type: 'api-token', token };
  const api = createAdminClient({
    url: `${url.origin}${url.pathname.replace(/\/+$/, '')}/api`,
    fetch,
    auth: async () => auth,
  });
  return { ...databasesOf(api, tenant), ...sharesOf(api, tenant), ...usersOf(api, tenant) };
}

type Databases = Pick<Server, 'databases' | 'createDatabase' | 'deleteDatabase'>;

const databasesOf = (api: AdminClient, tenantId: string): Databases => ({
  databases: async () => (await granted(api.listLedgersByUser([tenantId]))).map(described),
  createDatabase: async ({ name, kind }) =>
    described(await granted(api.createLedger({ tenantId, name, kind }))),
  deleteDatabase: async (ledgerId) => void (await granted(api.deleteLedger({ tenantId, ledgerId }))),
});

const usersOf = (api: AdminClient, tenantId: string): Omit<Server, keyof Databases | keyof Shares> => ({
  putUser: async ({ app, rights, ...said }) => {
    const payload = { tenantId, applicationId: app, ...said, ...(rights && { rights: { ...rights } }) };
    const { userId, subject, name, email } = await granted(api.putApplicationUser(payload));
    return { userId, subject, ...(name !== undefined && { name }), ...(email !== undefined && { email }) };
  },
  removeUser: async ({ app, userId }) =>
    void (await granted(api.removeApplicationUser({ tenantId, applicationId: app, userId }))),
  createUserToken: async ({ app, userId, ledgerId }) => {
    const asked = { tenantId, applicationId: app, userId, ledgerId };
    const { token, expiresInSec } = await granted(api.createUserToken(asked));
    return { token, expiresInSec };
  },
});

const described = ({ ledgerId, name, kind }: Ledger): ServerDatabase => ({
  ledgerId,
  name,
  ...(kind !== undefined && { kind }),
});
