/** Finds the session of a request that a page of an application sends. */
import { FixpointError } from '@fixpoint/protocol';
import { getActiveUser, listProviders } from '../../tables/accounts/user-rows.ts';
import { getApplication } from '../../tables/applications/application-rows.ts';
import { getApplicationSession } from '../../tables/applications/application-session-rows.ts';
import type { ApplicationRow, ApplicationSessionRow } from '../../tables/applications/application-tables.ts';
import { getApplicationUserById } from '../../tables/applications/application-user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import { timestamp } from '../../tables/new-row.ts';
import type { User } from '../../tables/schema.ts';
import type { CloudTokens } from '../../tokens/cloud-tokens.ts';
import type { Context } from '../handler.ts';

/** Parses a column with origins or redirect URLs. */
export const addressesOf = (column: string): string[] => JSON.parse(column) as string[];

/** A session that is open, with its user. */
export interface OpenApplicationSession {
  readonly session: ApplicationSessionRow;
  readonly caller: User;
  readonly email: string;
}

/**
 * Returns the application whose page sends the request; undefined if there is no such application.
 * @throws FixpointError FORBIDDEN unless the browser reports one of the application's origins
 */
export async function askingApplication(
  { db, origin }: Pick<Context, 'db' | 'origin'>,
  applicationId: string,
): Promise<ApplicationRow | undefined> {
  const application = await getApplication(db, applicationId);
  if (application === undefined) return undefined;
  if (origin === undefined || !addressesOf(application.origins).includes(origin))
    throw new FixpointError('FORBIDDEN', 'the application has no such origin');
  return application;
}

/**
 * Returns the address and the name of a user, as their sign-in provider knows them, or as the
 * application chose them for a user whom it brought along. Tokens contain only the proven address.
 */
export async function profileOf(
  db: Connection,
  userId: string,
): Promise<{ readonly email: string; readonly name: string; readonly provenEmail: string }> {
  const own = await getApplicationUserById(db, userId);
  if (own !== undefined)
    return { email: own.email, name: own.name || own.email || own.subject, provenEmail: '' };
  const [provider] = await listProviders(db, userId);
  const { name } = JSON.parse(provider?.params ?? '{}') as { readonly name?: unknown };
  const email = provider?.queryEmail ?? '';
  return { email, name: typeof name === 'string' && name !== '' ? name : email, provenEmail: email };
}

/**
 * Signs an access token: a cloud token that opens no ledger, and proves the session.
 * @param session id of the session
 */
export const mintAccessToken = (
  tokens: CloudTokens,
  session: string,
  { userId, createdAt }: User,
  email: string,
): Promise<string> =>
  tokens.mint({
    userId,
    email,
    created: createdAt,
    tenants: [],
    ledgers: [],
    apiToken: session,
    selected: {},
  });

/**
 * Returns the session of an access token.
 * @throws FixpointError NOT_SIGNED_IN when the session has ended, and for a token that opens a
 * ledger: a page may give such a token to other code
 */
export async function sessionOf(
  context: Pick<Context, 'db' | 'origin' | 'tokens' | 'now'>,
  { applicationId, accessToken }: { readonly applicationId: string; readonly accessToken: string },
): Promise<OpenApplicationSession> {
  const { db, tokens, now } = context;
  const application = await askingApplication(context, applicationId);
  const { apiToken, userId, tenants, ledgers, selected } = await tokens.verify(accessToken);
  const isAccessToken = tenants.length + ledgers.length + Object.keys(selected).length === 0;
  const session =
    isAccessToken && apiToken !== undefined ? await getApplicationSession(db, apiToken) : undefined;
  const isOpen = session !== undefined && isOpenAt(session, now) && session.userId === userId;
  const caller = isOpen ? await getActiveUser(db, userId) : undefined;
  if (session === undefined || caller === undefined || session.applicationId !== application?.applicationId)
    throw new FixpointError('NOT_SIGNED_IN', 'sign in again');
  return { session, caller, email: (await profileOf(db, userId)).provenEmail };
}

export const isOpenAt = ({ expiresAt }: ApplicationSessionRow, now: number): boolean =>
  expiresAt > timestamp(now);
