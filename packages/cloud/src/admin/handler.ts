import type {
  Answer,
  CleanPayload,
  RequestType,
  Requirement,
  RequirementOf,
  ServerBackup,
} from '@fixpoint/protocol/admin';
import type { Person } from '../identity/identity.ts';
import type { OwnTokens } from '../identity/own-tokens.ts';
import type { Guesses } from '../limits/rate-limiter.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Target } from '../rights/authorize.ts';
import type { Connection } from '../tables/connection.ts';
import type { NewLimits } from '../tables/new-limits.ts';
import type { User } from '../tables/schema.ts';
import type { CloudTokens } from '../tokens/cloud-tokens.ts';
import type { Scope } from './scope.ts';

/** Limits of applications, and of the sessions of users with them. */
interface ApplicationLimits {
  readonly perTenantMax: number;
  /** Sessions of one user with one application. */
  readonly perUserMax: number;
  /** Users whom the applications of a tenant bring along. */
  readonly usersPerTenantMax: number;
  /** Days after which a session ends, even if it is in use. */
  readonly sessionDaysMax: number;
  /** Origins of this server, which no application may have. */
  readonly refusedOrigins: readonly string[];
}

/** The server itself, as operators see it. */
export interface ServerView {
  readonly version: string;
  /** The scheduled backups; undefined without a schedule. */
  readonly backups: ListedBackups | undefined;
}

export interface ListedBackups {
  readonly everyHours: number;
  /** Lists the backups again. May wait for another server. Never rejects. */
  refresh(): Promise<void>;
  /** Returns the complete backups of the last listing, newest first. */
  known(): { readonly backups: ServerBackup[]; readonly problem?: string };
}

export interface Context {
  /** The transaction of this request. All writes of the request are committed, or none. */
  readonly db: Connection;
  readonly tokens: CloudTokens;
  /** Verifies tokens of applications' own issuers. */
  readonly ownTokens: OwnTokens;
  readonly now: number;
  /** The network address of the sender. */
  readonly from: string | undefined;
  /** The `Origin` of the request: browsers set it, and pages can't change it. */
  readonly origin: string | undefined;
  readonly applications: ApplicationLimits;
  /** Limits of new users, tenants and ledgers. */
  readonly newLimits: NewLimits;
  /** Counts the secrets that callers try without signing in. */
  readonly guesses: Guesses;
  /** The setting that decides who may create an account. */
  readonly signUp: 'open' | 'waitlist' | 'closed';
  readonly mailer: Mailer;
  readonly server: ServerView;
  /** URL of the console's first page, for links in mails. */
  readonly consoleUrl: string;
  /**
   * Runs work, such as sending a mail, once the request's changes are durable. The answer doesn't
   * wait for this work.
   */
  afterwards(work: () => Promise<unknown>): void;
}

export interface PersonContext extends Context {
  readonly person: Person;
  /** Scope of the token that authenticates the request; undefined for a person who signed in. */
  readonly scope: Scope | undefined;
}

export interface UserContext extends PersonContext {
  /** The user who sends the request; their status is active. */
  readonly caller: User;
}

/** Properties that all handlers may have. */
interface Common<P> {
  /**
   * Maximum requests per minute of one person, or of one network address when nobody is signed in.
   */
  readonly perMinute?: number;
  /**
   * Returns whether the caller must have signed in, or confirmed their identity, in the last 15
   * minutes.
   */
  confirms?(payload: P): boolean;
  /**
   * Runs before the transaction begins, for work that waits for other servers.
   */
  prepare?(context: Pick<Context, 'db' | 'ownTokens' | 'origin' | 'server'>, payload: P): Promise<void>;
  /** Whether the request can revoke rights, so that the gateway must look them up again. */
  readonly revokes?: true;
}

/**
 * Handles requests for which no right is checked before the handler runs. If some callers need a
 * right, the handler checks it.
 */
interface Unauthorized<C extends Context, P, A> extends Common<P> {
  run(context: C, payload: P): Promise<A>;
}

/**
 * Handles requests that need a right. The right is checked for the target before the handler runs.
 */
interface Authorized<P, A> extends Unauthorized<UserContext, P, A> {
  /**
   * Returns the tenant or ledger for which the caller needs the right. Returns undefined if it
   * doesn't exist.
   */
  target(payload: P, db: Connection): Target | Promise<Target | undefined>;
}

/** Handles requests of operators. Their right is checked before the handler runs. */
interface Operating<P, A> extends Unauthorized<UserContext, P, A> {
  /**
   * Returns the tenant whose audit log records the request. By default, the log of the server
   * records it.
   */
  tenantOf?(payload: P): string;
}

/** The type of handlers by requirement, which decides the context that the handlers get. */
export type HandlerOf<R extends Requirement, P, A> = R extends 'nobody'
  ? Unauthorized<Context, P, A>
  : R extends 'person'
    ? Unauthorized<PersonContext, P, A>
    : R extends 'user:active'
      ? Unauthorized<UserContext, P, A>
      : R extends 'operator'
        ? Operating<P, A>
        : Authorized<P, A>;

/** Handles one request type. The definition of the type says who may send such a request. */
type Handler<T extends RequestType> = HandlerOf<RequirementOf<T>, CleanPayload<T>, Answer<T>>;

/** Handlers by request type. Without `T`, the handlers of all request types. */
export type Handlers<T extends RequestType = RequestType> = { readonly [K in T]: Handler<K> };
