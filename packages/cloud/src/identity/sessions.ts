/**
 * Lists and ends the sessions of the signed-in user. Identifies a session by a hash of its token.
 * The library's own routes for sessions stay closed, because they would expose the tokens to
 * scripts of the page.
 */
import { createHash } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';
import { type OwnSession, requireRecent } from './confirm.ts';
import { sentIn } from './end-access.ts';

const SESSIONS_ROUTE = '/auth/sessions';
const END_ROUTE = '/auth/sessions/end';

interface StoredSession {
  readonly token: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  readonly ipAddress?: string | null | undefined;
  readonly userAgent?: string | null | undefined;
}

/** The part of the provider that is used here. */
export interface SessionApi {
  listSessions(call: { headers: Headers }): Promise<StoredSession[]>;
  revokeSession(call: { headers: Headers; body: { token: string } }): Promise<unknown>;
  revokeOtherSessions(call: { headers: Headers }): Promise<unknown>;
}

const idOf = (token: string) => createHash('sha256').update(token).digest('base64url').slice(0, 22);

/**
 * Handles requests about sessions. Resolves to undefined for any other request.
 * @throws FixpointError NOT_SIGNED_IN, CONFIRM_IDENTITY, NOT_FOUND, REQUEST_INVALID
 */
export async function handleSessions(
  api: SessionApi,
  request: Request,
  own: OwnSession | undefined,
  now: number,
): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  if (pathname !== SESSIONS_ROUTE && pathname !== END_ROUTE) return undefined;
  if (own === undefined) throw new FixpointError('NOT_SIGNED_IN');
  if (pathname === END_ROUTE) return end(api, request, own, now);
  const sessions = await api.listSessions({ headers: request.headers });
  return Response.json({
    sessions: sessions.map(({ token, createdAt, updatedAt, expiresAt, ipAddress, userAgent }) => ({
      id: idOf(token),
      createdAt,
      updatedAt,
      expiresAt,
      ...(ipAddress && { ipAddress }),
      ...(userAgent && { userAgent }),
      current: token === own.token,
    })),
  });
}

/**
 * Ends one session if the body is `{id}`, or all sessions except the caller's if it is `{others:
 * true}`. Ending other sessions requires a recent sign-in, so that an attacker who stole a session
 * can't lock the owner out.
 */
async function end(api: SessionApi, request: Request, own: OwnSession, now: number): Promise<Response> {
  const { headers } = request;
  const { id, others } = await sentIn(request);
  if (others === true) {
    requireRecent(own, now);
    await api.revokeOtherSessions({ headers });
    return Response.json({ ended: true });
  }
  if (typeof id !== 'string') throw new FixpointError('REQUEST_INVALID', 'id or others is required');
  if (id !== idOf(own.token)) requireRecent(own, now);
  const found = (await api.listSessions({ headers })).find(({ token }) => idOf(token) === id);
  if (found === undefined) throw new FixpointError('NOT_FOUND');
  await api.revokeSession({ headers, body: { token: found.token } });
  return Response.json({ ended: true });
}
