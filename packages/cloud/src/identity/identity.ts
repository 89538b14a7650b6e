/** Somebody whom an identity provider vouches for. */
export interface Person {
  readonly providerUserId: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
}

/** A provider of identities. The admin API chooses one by `auth.type`, never by what a token says of itself. */
export interface Identity {
  readonly type: string;
  /** Answers requests below `/auth`. */
  handle(request: Request, clientIp: string): Promise<Response>;
  /** @throws FixpointError NOT_SIGNED_IN */
  verify(token: string): Promise<Person>;
}
