import type { Organization } from './providers/organization.ts';

/** A person whom an identity provider vouches for. */
export interface Person {
  /** `type` of the provider. */
  readonly provider: string;
  /** The provider's own id. An email address can change owners; this can't. */
  readonly providerUserId: string;
  readonly email: string;
  /** Whether the person proved to own the address. */
  readonly emailVerified: boolean;
  readonly name: string;
  readonly imageUrl?: string;
  /**
   * Milliseconds: when they last signed in or confirmed that it's them. Undefined where another
   * provider keeps sessions.
   */
  readonly confirmedAt?: number;
  /** The id of the session, where this server keeps sessions. */
  readonly session?: string;
  /** The organisation that they act for at the provider, where organisations are tenants here. */
  readonly organization?: Organization;
}

/**
 * A provider of identities. The admin API chooses one by `auth.type`, never by the claims of a
 * token.
 */
export interface Identity {
  readonly type: string;
  /**
   * Answers requests below `/auth`. `clientIp` is the address of the socket, or the one that a
   * trusted proxy reports: never a header that anybody can send.
   */
  handle(request: Request, clientIp: string): Promise<Response>;
  /**
   * Resolves to the person of a token.
   * @throws FixpointError NOT_SIGNED_IN
   */
  verify(token: string): Promise<Person>;
}
