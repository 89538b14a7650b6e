import type { Organization } from './providers/organization.ts';

/** A person as an identity provider describes them in a token. */
export interface Person {
  /** `type` of the provider. */
  readonly provider: string;
  /**
   * The provider's id of the person. Unlike an email address, it never passes to another person.
   */
  readonly providerUserId: string;
  readonly email: string;
  /** Whether the person proved to own the address. */
  readonly emailVerified: boolean;
  readonly name: string;
  readonly imageUrl?: string;
  /**
   * The time when the person last signed in or confirmed their identity, in milliseconds. Undefined
   * if an external provider keeps the sessions.
   */
  readonly confirmedAt?: number;
  /** The id of the session, where this server keeps sessions. */
  readonly session?: string;
  /**
   * The organisation for which the person signed in at the provider. Set only if organisations are
   * mapped to tenants.
   */
  readonly organization?: Organization;
}

/**
 * An identity provider. The admin API chooses it by `auth.type`, never by the claims of a token.
 */
export interface Identity {
  readonly type: string;
  /**
   * Answers requests below `/auth`. `clientIp` comes from the socket or a trusted proxy, never from
   * a header that anybody can send.
   */
  handle(request: Request, clientIp: string): Promise<Response>;
  /**
   * Resolves to the person of a token.
   * @throws FixpointError NOT_SIGNED_IN
   */
  verify(token: string): Promise<Person>;
}
