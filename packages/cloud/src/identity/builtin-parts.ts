/** The parts from which the built-in identity provider is created. */
import type { AccountMailer } from '../mail/account-mailer.ts';
import type { Db } from '../tables/connection.ts';
import type { SecurityEvent } from './door.ts';
import type { Access } from './end-access.ts';
import type { PasswordHash } from './passwords/password-hash.ts';
import type { OidcClient } from './providers/oidc.ts';

/**
 * Secrets of the provider. The first secret encrypts and signs; all secrets decrypt. If a secret in
 * use is lost, the keys of identity tokens become unreadable.
 */
export type AuthSecrets = readonly { readonly version: number; readonly value: string }[];

export interface BuiltinParts {
  readonly db: Db;
  readonly database: 'sqlite' | 'postgres';
  readonly publicUrl: string;
  /** Path of this server behind a proxy, such as `/fixpoint`; empty for the root. */
  readonly basePath: string;
  readonly secrets: AuthSecrets;
  readonly mailer: AccountMailer;
  readonly signUp: 'open' | 'waitlist' | 'closed';
  /** With `required`, users can't sign in with one factor alone, such as a password. */
  readonly secondFactor: 'optional' | 'required';
  /**
   * The access that "sign out everywhere" and a changed password end in addition to sessions. A
   * request may override this setting.
   */
  readonly signOutEnds: Access;
  /** Days after which a session expires, even if it is in use. */
  readonly sessionDaysMax: number;
  /** How passwords are hashed; default: scrypt at full cost. */
  readonly password?: PasswordHash;
  /** An OpenID Connect provider for sign-in. */
  readonly oidc?: OidcClient | undefined;
  /**
   * Whether passwords, mailed links and passkeys are enabled. Otherwise only the OpenID Connect
   * provider signs people in.
   */
  readonly hasOwnWays: boolean;
  readonly now: () => number;
  /** Called with each attempt to sign in. */
  readonly note?: (event: SecurityEvent) => void;
  /** Called with errors that are faults of this server, and not rejections of a request. */
  readonly report: (error: unknown) => void;
}
