/**
 * Handles `PUT /api`: checks identity and shape, then checks the right and runs the handler in one
 * transaction.
 */
import { FieldError, FixpointError, isFixpointError, mustBe } from '@fixpoint/protocol';
import {
  type AdminAction,
  APPLICATION_LIMITS,
  answerTypeOf,
  auth,
  isPublicRequest,
  isRequestType,
  REQUESTS,
  type RequestType,
  type Requirement,
} from '@fixpoint/protocol/admin';
import * as v from 'valibot';
import { CONFIRMED_MS } from '../identity/confirm.ts';
import type { Identity, Person } from '../identity/identity.ts';
import type { OwnTokens } from '../identity/own-tokens.ts';
import {
  createAddressThrottle,
  createGuesses,
  createThrottle,
  type Guesses,
  retryHeaders,
  type Throttle,
} from '../limits/rate-limiter.ts';
import type { Mailer } from '../mail/mailer.ts';
import type { Background } from '../observe/background.ts';
import { authorize, requireOperator } from '../rights/authorize.ts';
import { getUserByProvider, WAITING } from '../tables/accounts/user-rows.ts';
import { type Db, inTransaction } from '../tables/connection.ts';
import { NEW_LIMITS, type NewLimits } from '../tables/new-limits.ts';
import type { User } from '../tables/schema.ts';
import { SERVER } from '../tables/tenants/audit-records.ts';
import type { CloudTokens } from '../tokens/cloud-tokens.ts';
import { recordAction } from './audit.ts';
import { checkedShape } from './checked-shape.ts';
import type { Context, HandlerOf, Handlers, ServerView, UserContext } from './handler.ts';
import { API_TOKEN_TYPE, DEVICE_TYPE, personByApiToken, personByDevice } from './parts/check-api-token.ts';
import { apiTokenHandlers } from './requests/api-token-handlers.ts';
import { applicationHandlers } from './requests/application-handlers.ts';
import { applicationSessionHandlers } from './requests/application-session-handlers.ts';
import { applicationUserHandlers } from './requests/application-user-handlers.ts';
import { cloudTokenHandlers } from './requests/cloud-token-handlers.ts';
import { ensureCloudTokenHandler } from './requests/ensure-cloud-token.ts';
import { inviteHandlers } from './requests/invite-handlers.ts';
import { inviteUserHandler } from './requests/invite-user.ts';
import { ledgerHandlers } from './requests/ledger-handlers.ts';
import { loginHandlers } from './requests/login-handlers.ts';
import { membershipHandlers } from './requests/membership-handlers.ts';
import { operatorHandlers } from './requests/operator-handlers.ts';
import { shareHandlers } from './requests/share-handlers.ts';
import { tenantHandlers } from './requests/tenant-handlers.ts';
import { userHandlers } from './requests/user-handlers.ts';
import { requireScope, type Scope } from './scope.ts';

/** The handlers of all requests. */
export const HANDLERS: Handlers = {
  ...tenantHandlers,
  ...userHandlers,
  ...membershipHandlers,
  ...inviteHandlers,
  ...inviteUserHandler,
  ...ledgerHandlers,
  ...shareHandlers,
  ...cloudTokenHandlers,
  ...ensureCloudTokenHandler,
  ...apiTokenHandlers,
  ...applicationHandlers,
  ...applicationUserHandlers,
  ...applicationSessionHandlers,
  ...loginHandlers,
  ...operatorHandlers,
};

/** Days after which a session with an application ends by default. */
const SESSION_DAYS_MAX = 30;
const applicationDefaults = (consoleUrl: string) => ({
  perTenantMax: APPLICATION_LIMITS.perTenantMax,
  sessionDaysMax: SESSION_DAYS_MAX,
  usersPerTenantMax: APPLICATION_LIMITS.usersPerTenantMax,
  refusedOrigins: [new URL(consoleUrl).origin],
});

const NO_BACKUPS: ServerView = { version: '', backups: undefined };

/** Maximum number of different secrets that one network may try per minute. */
const SECRETS_PER_MINUTE = 60;

const STATUS_BY_CODE: Partial<Record<string, number>> = {
  REQUEST_INVALID: 400,
  NOT_SIGNED_IN: 401,
  CONFIRM_IDENTITY: 403,
  EMAIL_UNVERIFIED: 403,
  WAITLISTED: 403,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  INVITE_ENDED: 409,
  INVITE_EXPIRED: 409,
  INVITE_WAITS: 409,
  LIMIT_REACHED: 409,
  RATE_LIMITED: 429,
  FETCH: 502,
};

export interface AdminParts {
  readonly db: Db;
  readonly identities: readonly Identity[];
  readonly tokens: CloudTokens;
  readonly ownTokens: OwnTokens;
  readonly signUp: Context['signUp'];
  readonly mailer: Mailer;
  readonly background: Background;
  /**
   * Default: 10 applications and 10,000 users of applications in a tenant; sessions of at most 30
   * days; no application may have the origin of `consoleUrl`.
   */
  readonly applications?: Omit<Context['applications'], 'perUserMax'>;
  /** Default: the limits of spec §9, without a byte quota. */
  readonly newLimits?: NewLimits;
  /** Default: a server without a schedule of backups. */
  readonly server?: ServerView;
  /** URL of the console's first page. */
  readonly consoleUrl: string;
  readonly now: () => number;
  /** Called with each rejected request. */
  readonly note?: (event: AdminRefusal) => void;
  /** Called with errors that are faults of this server, and not rejections of a request. */
  readonly report: (error: unknown) => void;
}

/** A log record of a rejected request, without its payload and without names. */
interface AdminRefusal {
  readonly event: 'admin refused';
  readonly type: string;
  readonly status: number;
  readonly code: string;
  /** The network address of the sender. */
  readonly from: string | undefined;
}

interface AdminAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Handles one request.
 * @param from network address of the sender
 * @param origin the `Origin` that the browser of the sender reports
 */
export type Admin = (body: unknown, from?: string, origin?: string) => Promise<AdminAnswer>;

export function createAdmin(parts: AdminParts): Admin {
  const limits = {
    countRequest: createThrottles(),
    guesses: createGuesses(SECRETS_PER_MINUTE, 60),
  };
  return async (body, from, origin) => {
    try {
      return { status: 200, body: await answer(parts, limits, body, { from, origin }) };
    } catch (cause) {
      const refused = refusal(cause, parts.report);
      const { status } = refused;
      const code = String(refused.body['code'] ?? 'INTERNAL');
      parts.note?.({ event: 'admin refused', type: requestTypeIn(body), status, code, from });
      return refused;
    }
  };
}

/** Returns whether a request with this body can revoke rights. */
export function mayRevoke(body: unknown): boolean {
  const { type } = (body ?? {}) as { type?: unknown };
  return isRequestType(type) && handlerOf(type).revokes === true;
}

/** Returns the ledger whose successor a request with this body names. */
export function movedLedgerIn(body: unknown): string | undefined {
  const { type, ledger } = (body ?? {}) as { type?: unknown; ledger?: { ledgerId?: unknown } };
  const ledgerId = type === 'reqMoveLedger' ? ledger?.ledgerId : undefined;
  return typeof ledgerId === 'string' ? ledgerId : undefined;
}

/** Returns whether a request with this body can change the origins of applications. */
export function mayChangeOrigins(body: unknown): boolean {
  const { type } = (body ?? {}) as { type?: unknown };
  return type === 'reqCreateApplication' || mayRevoke(body);
}

/**
 * Returns the request type for the log. Returns a fixed text for an unknown type, because a client
 * can send any text as the type.
 */
export function requestTypeIn(body: unknown): string {
  const { type } = (body ?? {}) as { type?: unknown };
  return isRequestType(type) ? type : 'unknown';
}

async function answer(
  parts: AdminParts,
  { countRequest, guesses }: Limits,
  body: unknown,
  { from, origin }: Pick<Context, 'from' | 'origin'>,
): Promise<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new FieldError('', 'must be an object');
  const request = body as Record<string, unknown>;
  const { type } = request;
  if (typeof type !== 'string') throw new FieldError('type', mustBe('string', type === undefined));
  if (!isRequestType(type)) throw new FieldError('type', 'is unknown');
  const handler = handlerOf(type);
  const asker = isPublicRequest(type) ? undefined : await readAsker(parts, request['auth']);
  requireScope(asker?.scope, type);
  const payload = checkedShape<Payload>(REQUESTS[type].payload, request);
  if (handler.confirms?.(payload) === true) requireConfirmed(asker?.person, parts.now());
  if (handler.perMinute !== undefined) await countRequest(type, asker?.person, from, handler.perMinute);
  const { tokens, ownTokens, signUp, mailer, consoleUrl, server = NO_BACKUPS } = parts;
  await handler.prepare?.({ db: parts.db, ownTokens, origin, server }, payload);
  const limits = parts.applications ?? applicationDefaults(consoleUrl);
  const applications = { ...limits, perUserMax: APPLICATION_LIMITS.sessionsPerUserMax };
  const { answered, works } = await inTransaction(parts.db, async (db) => {
    const works: (() => Promise<unknown>)[] = [];
    const afterwards = (work: () => Promise<unknown>) => void works.push(work);
    const given = { db, tokens, ownTokens, signUp, mailer, server, consoleUrl, guesses, from, origin };
    const { newLimits = NEW_LIMITS } = parts;
    const context = { ...given, applications, newLimits, now: parts.now(), afterwards };
    return { answered: await run(type, context, asker, payload), works };
  });
  for (const work of works) parts.background.run(work);
  return { type: answerTypeOf(type), ...answered };
}

type Payload = Record<string, unknown>;

/**
 * Returns the handler of a request type, cast to one common type. The cast is safe: the table pairs
 * each request type with its handler, the schema of the type checks the payload, and {@link run}
 * passes the context that the handler requires.
 */
const handlerOf = (type: RequestType) => HANDLERS[type] as unknown as HandlerOf<AdminAction, Payload, object>;
const operatorHandlerOf = (type: RequestType) =>
  HANDLERS[type] as unknown as HandlerOf<'operator', Payload, object>;

interface Limits {
  readonly countRequest: CountRequest;
  readonly guesses: Guesses;
}

type CountRequest = (
  type: RequestType,
  person: Person | undefined,
  from: string | undefined,
  perMinute: number,
) => Promise<void>;

/** Creates the function that counts requests: by person, or by network if nobody is signed in. */
function createThrottles(): CountRequest {
  const throttles = new Map<RequestType, Throttle>();
  return async (type, person, from, perMinute) => {
    const create = person === undefined ? createAddressThrottle : createThrottle;
    const throttle = throttles.get(type) ?? create(perMinute, 60);
    throttles.set(type, throttle);
    await throttle.count(
      person === undefined ? (from ?? 'unknown') : `${person.provider} ${person.providerUserId}`,
    );
  };
}

/**
 * Requires a recent sign-in, if the provider reports when the person signed in. Other providers
 * apply their own rules.
 * @throws FixpointError CONFIRM_IDENTITY for a person whose sign-in is too old
 */
function requireConfirmed(person: Person | undefined, now: number): void {
  if (person?.confirmedAt !== undefined && now - person.confirmedAt > CONFIRMED_MS)
    throw new FixpointError('CONFIRM_IDENTITY');
}

/** A signed-in person, or the person for whom a token acts, with the token's scope. */
interface Asker {
  readonly person: Person;
  readonly scope: Scope | undefined;
}

async function readAsker({ db, identities, now }: AdminParts, given: unknown): Promise<Asker> {
  if (!v.is(auth, given)) throw new FixpointError('NOT_SIGNED_IN');
  const { type, token } = given;
  if (type === API_TOKEN_TYPE) return personByApiToken(db, token, now());
  if (type === DEVICE_TYPE) return personByDevice(db, token, now());
  const identity = identities.find((one) => one.type === type);
  if (identity === undefined) throw new FixpointError('NOT_SIGNED_IN', 'unknown auth type');
  return { person: await identity.verify(token), scope: undefined };
}

async function run(
  type: RequestType,
  context: Context,
  asker: Asker | undefined,
  payload: Payload,
): Promise<object> {
  const requires: Requirement = REQUESTS[type].requires;
  const handler = handlerOf(type);
  if (requires === 'nobody') return handler.run(context as UserContext, payload);
  if (asker === undefined) throw new FixpointError('NOT_SIGNED_IN');
  const { person, scope } = asker;
  const ofPerson = { ...context, ...asker };
  if (requires === 'person') return handler.run(ofPerson as UserContext, payload);
  const caller = requireActive(await getUserByProvider(context.db, person.provider, person.providerUserId));
  const ofUser = { ...ofPerson, caller };
  if (requires === 'user:active') return handler.run(ofUser, payload);
  if (requires === 'operator') return runForOperator(type, ofUser, payload);
  const target = await handler.target(payload, context.db);
  if (target === undefined) throw new FixpointError('NOT_FOUND');
  await authorize(context.db, { userId: caller.userId, scope }, requires, target);
  const answered = await handler.run(ofUser, payload);
  if (REQUESTS[type].audited !== false) await recordAction(ofUser, type, target, payload);
  return answered;
}

/** Runs a request of an operator, and records it in the log of a tenant or of the server. */
async function runForOperator(type: RequestType, context: UserContext, payload: Payload): Promise<object> {
  const { db, caller, scope } = context;
  await requireOperator(db, { userId: caller.userId, scope });
  const handler = operatorHandlerOf(type);
  const answered = await handler.run(context, payload);
  const tenantId = handler.tenantOf?.(payload) ?? SERVER;
  if (REQUESTS[type].audited !== false) await recordAction(context, type, { tenantId }, payload);
  return answered;
}

/**
 * Requires an active user.
 * @throws FixpointError WAITLISTED for users on the waitlist; NOT_SIGNED_IN for banned users, and
 * also for people without an account
 */
function requireActive(user: User | undefined): User {
  if (user?.status === 'inactive' && user.statusReason === WAITING) throw new FixpointError('WAITLISTED');
  if (user === undefined || user.status !== 'active')
    throw new FixpointError('NOT_SIGNED_IN', 'user not found');
  return user;
}

/** Returns an error answer that the caller can act on. Hides the details of internal failures. */
function refusal(cause: unknown, report: (error: unknown) => void): AdminAnswer {
  const status = isFixpointError(cause) ? STATUS_BY_CODE[cause.code] : undefined;
  if (status === undefined || !isFixpointError(cause)) {
    report(cause);
    const message = 'Internal Server Error';
    return { status: 500, body: { type: 'error', message, error: `Error: ${message}` } };
  }
  const { code, message } = cause;
  const path = cause instanceof FieldError && cause.path !== '' ? { path: cause.path } : {};
  const body = { type: 'error', code, message, ...path, error: `Error: ${message}` };
  return { status, body, headers: retryHeaders(cause) };
}
