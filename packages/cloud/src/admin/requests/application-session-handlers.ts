/**
 * Requests of pages of registered applications. A failure that must end a session or use up a code
 * is an answer with the status `ended`: an error would roll back the transaction.
 */

import { FixpointError } from '@fixpoint/protocol';
import { CLOUD_TOKEN_SECONDS, type CleanPayload } from '@fixpoint/protocol/admin';
import { getActiveUser } from '../../tables/accounts/user-rows.ts';
import { lockGrant } from '../../tables/applications/application-rows.ts';
import {
  getApplicationCode,
  getApplicationSession,
  getApplicationSessionByFamily,
  insertApplicationSession,
  removeApplicationSession,
  rotateRefreshToken,
  useApplicationCode,
} from '../../tables/applications/application-session-rows.ts';
import type { ApplicationCodeRow, ApplicationRow } from '../../tables/applications/application-tables.ts';
import { noteSignIn } from '../../tables/applications/application-user-rows.ts';
import { newId, timestamp } from '../../tables/new-row.ts';
import { ledgerKindOf } from '../../tables/sync/ledger-key-rows.ts';
import { familyHashOf, isVerifierOf } from '../../tokens/application-secrets.ts';
import { hashOfSecret } from '../../tokens/new-api-token.ts';
import { recordAction } from '../audit.ts';
import type { Context, Handlers } from '../handler.ts';
import {
  addressesOf,
  askingApplication,
  isOpenAt,
  mintAccessToken,
  profileOf,
  sessionOf,
} from '../parts/application-session.ts';
import { issuerOf, putUserOfToken } from '../parts/application-user.ts';
import { claimsFor, narrowed } from '../parts/cloud-claims.ts';
import { readableLedgers } from '../parts/describe-ledger.ts';

const DAY_MS = 86_400_000;
/** Days after which an unused session ends, as sessions of the console do. */
const IDLE_DAYS = 7;

export const applicationSessionHandlers = {
  reqBeginApplicationSession: {
    perMinute: 120,
    run: async (context, asked) => {
      const { db, now } = context;
      const application = await askingApplication(context, asked.applicationId);
      const hash = hashOfSecret(asked.code);
      const code = await getApplicationCode(db, hash, timestamp(now));
      if (application === undefined || code === undefined) return { status: 'ended' };
      const sessionId = newId();
      if (!(await useApplicationCode(db, hash, sessionId))) {
        // Somebody stole the code, and one of the two requests is theirs. Read again, because the
        // other request may have used the code since this one read it.
        const used = await getApplicationCode(db, hash, timestamp(now));
        if (used?.sessionId != null) await removeApplicationSession(db, used.sessionId);
        return { status: 'ended' };
      }
      const isTaken =
        (await getApplicationSessionByFamily(db, familyHashOf(asked.refreshToken))) !== undefined;
      if (isTaken || !isFor(code, application, context.origin, asked)) return { status: 'ended' };
      const { userId, applicationId } = code;
      // The user may have withdrawn the permission since the code was created.
      if (!(await lockGrant(db, { userId, applicationId, origin: new URL(asked.redirectUrl).origin })))
        return { status: 'ended' };
      await beginSession(context, application, userId, { sessionId, refreshToken: asked.refreshToken });
      return openAnswer(context, sessionId, userId);
    },
  },
  reqRefreshApplicationSession: {
    perMinute: 300,
    run: async (context, { applicationId, refreshToken, next }) => {
      const { db, now, applications } = context;
      const application = await askingApplication(context, applicationId);
      const session = await getApplicationSessionByFamily(db, familyHashOf(refreshToken));
      if (session === undefined || session.applicationId !== application?.applicationId)
        return { status: 'ended' };
      const { sessionId, userId } = session;
      const [from, to] = [hashOfSecret(refreshToken), hashOfSecret(next)];
      const latest = Math.min(
        Date.parse(session.createdAt) + applications.sessionDaysMax * DAY_MS,
        session.endsAt === null ? Number.POSITIVE_INFINITY : Date.parse(session.endsAt),
      );
      const expiresAt = timestamp(Math.min(now + IDLE_DAYS * DAY_MS, latest));
      const isSound = isOpenAt(session, now) && from !== to && familyHashOf(next) === session.familyHash;
      // If the answer was lost, the application sends the same two tokens again, maybe while the
      // first request still runs. So look again after the replacement.
      const isReplaced = async () => {
        if (await rotateRefreshToken(db, sessionId, { from, to }, expiresAt)) return true;
        const now = await getApplicationSession(db, sessionId);
        return now?.previousHash === from && now.refreshHash === to;
      };
      if (isSound && (await isReplaced())) {
        const answer = await openAnswer(context, sessionId, userId);
        if (answer.status === 'open') return answer;
      }
      await removeApplicationSession(db, sessionId);
      return { status: 'ended' };
    },
  },
  reqExchangeApplicationToken: {
    perMinute: 120,
    prepare: async ({ ownTokens, ...context }, { applicationId, token }) => {
      const issuer = issuerOf(await askingApplication(context, applicationId));
      if (issuer !== undefined) await ownTokens.prepare(issuer, token);
    },
    run: async (context, { applicationId, token, refreshToken }) => {
      const { db, now } = context;
      const application = await askingApplication(context, applicationId);
      const issuer = issuerOf(application);
      if (application === undefined || issuer === undefined)
        throw new FixpointError('REQUEST_INVALID', 'the application has no users of its own');
      const own = await context.ownTokens.verify(issuer, token);
      const put = await putUserOfToken(context, application, own);
      if (put === undefined) return { status: 'ended' };
      const { userId, tenantId } = put.user;
      if (put.changed.length > 0) {
        const detail = { applicationId, subject: own.subject, rights: put.changed };
        const by = { ...context, caller: { userId } };
        await recordAction(by, 'reqExchangeApplicationToken', { tenantId }, detail);
      }
      // The rights of a banned user change, too, and hold again when the ban ends.
      if ((await getActiveUser(db, userId)) === undefined) return { status: 'ended' };
      await noteSignIn(db, put.user, timestamp(now));
      const isTaken = (await getApplicationSessionByFamily(db, familyHashOf(refreshToken))) !== undefined;
      if (isTaken) return { status: 'ended' };
      const sessionId = newId();
      const endsAt = timestamp(Math.min(own.expiresAtMs, now + DAY_MS));
      await beginSession(context, application, userId, { sessionId, refreshToken, endsAt });
      return openAnswer(context, sessionId, userId);
    },
  },
  reqListApplicationDatabases: {
    perMinute: 300,
    run: async (context, asked) => {
      const { session } = await sessionOf(context, asked);
      const readable = await readableLedgers(context.db, session.userId);
      const databases = readable
        .filter(({ row }) => row.tenantId === session.tenantId)
        .map(({ row: { tenantId, ledgerId, name, kind: stored }, right }) => {
          const kind = ledgerKindOf(stored);
          return { tenantId, ledgerId, name, right, ...(kind && { kind }) };
        });
      return { databases };
    },
  },
  reqApplicationCloudToken: {
    perMinute: 600,
    run: async (context, { ledgerId, ...asked }) => {
      const { db, tokens } = context;
      const { session, caller, email } = await sessionOf(context, asked);
      const { sessionId, tenantId } = session;
      const scope = { tokenId: sessionId, tenantId, right: 'write' } as const;
      const claims = await claimsFor(db, { caller, email, scope }, { tenant: tenantId, ledger: ledgerId });
      return { token: await tokens.mint(narrowed(claims, { tenants: [tenantId], ledgers: [ledgerId] })) };
    },
  },
  reqEndApplicationSession: {
    perMinute: 120,
    run: async (context, { applicationId, refreshToken }) => {
      const application = await askingApplication(context, applicationId);
      const session = await getApplicationSessionByFamily(context.db, familyHashOf(refreshToken));
      if (session !== undefined && session.applicationId === application?.applicationId)
        await removeApplicationSession(context.db, session.sessionId);
      return { status: 'ended' };
    },
  },
} satisfies Partial<Handlers>;

/**
 * Returns whether the code was created for this request: for this application, for a redirect URL
 * that the application still has, on the page that asks, and for this verifier.
 */
function isFor(
  code: ApplicationCodeRow,
  { applicationId, redirectUrls }: ApplicationRow,
  origin: string | undefined,
  { redirectUrl, verifier }: CleanPayload<'reqBeginApplicationSession'>,
): boolean {
  return (
    code.applicationId === applicationId &&
    code.redirectUrl === redirectUrl &&
    addressesOf(redirectUrls).includes(redirectUrl) &&
    new URL(redirectUrl).origin === origin &&
    isVerifierOf(code.challenge, verifier)
  );
}

interface NewSession {
  readonly sessionId: string;
  readonly refreshToken: string;
  /** When the session ends even if it is refreshed. */
  readonly endsAt?: string;
}

async function beginSession(
  { db, now, origin = '', applications }: Context,
  { applicationId, tenantId }: ApplicationRow,
  userId: string,
  { sessionId, refreshToken, endsAt }: NewSession,
): Promise<void> {
  const days = Math.min(IDLE_DAYS, applications.sessionDaysMax);
  const idleAt = timestamp(now + days * DAY_MS);
  const row = {
    sessionId,
    applicationId,
    tenantId,
    userId,
    origin,
    familyHash: familyHashOf(refreshToken),
    refreshHash: hashOfSecret(refreshToken),
    createdAt: timestamp(now),
    expiresAt: endsAt !== undefined && endsAt < idleAt ? endsAt : idleAt,
    endsAt: endsAt ?? null,
  };
  await insertApplicationSession(db, row, applications.perUserMax);
}

type Answered =
  | { readonly status: 'ended' }
  | {
      readonly status: 'open';
      readonly accessToken: string;
      readonly expiresInSec: number;
      readonly user: { readonly userId: string; readonly email: string; readonly name: string };
    };

/** Returns the answer about an open session, unless its user isn't active. */
async function openAnswer({ db, tokens }: Context, sessionId: string, userId: string): Promise<Answered> {
  const caller = await getActiveUser(db, userId);
  if (caller === undefined) return { status: 'ended' };
  const profile = await profileOf(db, userId);
  const { email, name, provenEmail } = profile;
  const accessToken = await mintAccessToken(tokens, sessionId, caller, provenEmail);
  const user = { userId, email, name };
  return { status: 'open', accessToken, expiresInSec: CLOUD_TOKEN_SECONDS, user };
}
