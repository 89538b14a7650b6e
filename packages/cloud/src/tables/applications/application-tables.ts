/** The tables of applications that sign in their own users. */
import type { Generated, Selectable } from 'kysely';

/** An application, and where it runs. */
interface ApplicationsTable {
  applicationId: string;
  tenantId: string;
  name: string;
  /** JSON: exact origins. */
  origins: string;
  /** JSON: exact redirect URLs. */
  redirectUrls: string;
  /** The claim `iss` of the application's own tokens; null without own users. */
  issuer: string | null;
  jwksUrl: string | null;
  audience: string | null;
  createdAt: string;
  updatedAt: string;
}

/** The origins of all applications, for requests that don't contain the id of an application. */
interface ApplicationOriginsTable {
  origin: string;
  applicationId: string;
}

/** Which users allowed which applications to sign them in, at which of their origins. */
interface ApplicationGrantsTable {
  userId: string;
  applicationId: string;
  origin: string;
  createdAt: string;
}

/** Authorization codes, each with the request that it answers. */
interface ApplicationCodesTable {
  hash: string;
  applicationId: string;
  userId: string;
  redirectUrl: string;
  /** The SHA-256 of the verifier, as base64url. */
  challenge: string;
  /** The session that the code began; null while the code is unused. */
  sessionId: Generated<string | null>;
  expiresAt: string;
}

/** Sessions of users with applications: see `tokens/application-secrets.ts`. */
interface ApplicationSessionsTable {
  sessionId: string;
  applicationId: string;
  tenantId: string;
  userId: string;
  /** The origin at which the session began. */
  origin: string;
  /** Hash of the secret that all refresh tokens of the session share. */
  familyHash: string;
  refreshHash: string;
  /** Hash of the refresh token before the current one. */
  previousHash: string | null;
  createdAt: string;
  /** When the session ends unless it is refreshed. */
  expiresAt: string;
  /** When the session ends even if it is refreshed; null for the limit of the server. */
  endsAt: string | null;
}

/** Users whom applications bring along: see `application-user-rows.ts`. */
interface ApplicationUsersTable {
  userId: string;
  applicationId: string;
  tenantId: string;
  /** The issuer of the application when it brought the user along; empty without one. */
  issuer: string;
  subject: string;
  /** The application chose the name and the address. */
  name: string;
  email: string;
  /** When the application decided on the rights. Older decisions don't replace them. */
  rightsAt: string;
  /** When the back end removed the user; null for a user who may come back. */
  removedAt: string | null;
  /** When a session of the user last began, accurate to a minute; null if none began. */
  lastSignInAt: string | null;
  createdAt: string;
  updatedAt: string;
}

export interface ApplicationTables {
  Applications: ApplicationsTable;
  ApplicationOrigins: ApplicationOriginsTable;
  ApplicationGrants: ApplicationGrantsTable;
  ApplicationCodes: ApplicationCodesTable;
  ApplicationSessions: ApplicationSessionsTable;
  ApplicationUsers: ApplicationUsersTable;
}

/** Rows as queries return them. */
export type ApplicationRow = Selectable<ApplicationsTable>;
export type ApplicationGrantRow = Selectable<ApplicationGrantsTable>;
export type ApplicationCodeRow = Selectable<ApplicationCodesTable>;
export type ApplicationSessionRow = Selectable<ApplicationSessionsTable>;
export type ApplicationUserRow = Selectable<ApplicationUsersTable>;
