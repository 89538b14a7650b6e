/**
 * The sessions of who is signed in: listed by an id of their own, never by the token that is one, and ended. The provider's own routes for this give tokens to
 * scripts of the page, so they are not open.
 */
import { createHash } from 'node:crypto';
import { FixpointError } from '@fixpoint/protocol';

export const SESSIONS_ROUTE = '/auth/sessions';
export const END_ROUTE = '/auth/sessions/end';

interface StoredSession {
  readonly token: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
  readonly expiresAt: Date;
  readonly ipAddress?: string | null | undefined;
  readonly userAgent?: string | null | undefined;
}

/** What is needed of the provider. */
export interface SessionApi {
  getSession(call: { headers: Headers }): Promise<{ session: { token: string } } | null>;
  listSessions(call: { headers: Headers }): Promise<StoredSession[]>;
  revokeSession(call: { headers: Headers; body: { token: string } }): Promise<unknown>;
  revokeOtherSessions(call: { headers: Headers }): Promise<unknown>;
}

const idOf = (token: string) => createHash('sha256').update(token).digest('base64url').slice(0, 22);

/** Undefined for a request that is about something else. @throws FixpointError NOT_SIGNED_IN, NOT_FOUND, REQUEST_INVALID */
export async function handleSessions(api: SessionApi, request: Request): Promise<Response | undefined> {
  const { pathname } = new URL(request.url);
  if (pathname !== SESSIONS_ROUTE && pathname !== END_ROUTE) return undefined;
  const { headers } = request;
  const own = await api.getSession({ headers });
  if (own === null) throw new FixpointError('NOT_SIGNED_IN');
  if (pathname === END_ROUTE) return end(api, request);
  const sessions = await api.listSessions({ headers });
  return Response.json({
    sessions: sessions.map(({ token, createdAt, updatedAt, expiresAt, ipAddress, userAgent }) => ({
      id: idOf(token),
      createdAt,
      updatedAt,
      expiresAt,
      ...(ipAddress && { ipAddress }),
      ...(userAgent && { userAgent }),
      current: token === own.session.token,
    })),
  });
}

/** `{id}` ends one, `{others: true}` all but the own. */
async function end(api: SessionApi, request: Request): Promise<Response> {
  const { headers } = request;
  const { id, others } = (await request.json()) as { id?: unknown; others?: unknown };
  if (others === true) {
    await api.revokeOtherSessions({ headers });
    return Response.json({ ended: true });
  }
  if (typeof id !== 'string') throw new FixpointError('REQUEST_INVALID', 'id or others');
  const found = (await api.listSessions({ headers })).find(({ token }) => idOf(token) === id);
  if (found === undefined) throw new FixpointError('NOT_FOUND');
  await api.revokeSession({ headers, body: { token: found.token } });
  return Response.json({ ended: true });
}
