/** `PUT /api`: shape, identity, then one handler in one transaction. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { auth, isRequestType, REQUESTS, type RequestType } from '@fixpoint/protocol/admin';
import type { Identity, Person } from '../identity/identity.ts';
import type { Db } from '../tables/database.ts';
import { timestamp } from '../tables/new-row.ts';
import type { CloudTokens } from '../tokens/cloud-tokens.ts';
import type { Context, Handler, UserContext } from './handler.ts';
import { deleteInvite, inviteUser, listInvites, redeemInvite } from './invites.ts';
import { cloudSessionToken, createLedger, deleteLedger, listLedgersByUser, updateLedger } from './ledgers.ts';
import { createTenant, deleteTenant, listTenantsByUser, updateTenant, updateUserTenant } from './tenants.ts';
import { ensureUser, findCaller, findUser, requireActive } from './users.ts';

type HandledType = Exclude<RequestType, 'reqTokenByResultId'>;

const HANDLERS: { readonly [T in HandledType]: Handler<T> } = {
  reqEnsureUser: ensureUser,
  reqFindUser: findUser,
  reqCreateTenant: createTenant,
  reqUpdateTenant: updateTenant,
  reqDeleteTenant: deleteTenant,
  reqListTenantsByUser: listTenantsByUser,
  reqUpdateUserTenant: updateUserTenant,
  reqInviteUser: inviteUser,
  reqListInvites: listInvites,
  reqDeleteInvite: deleteInvite,
  reqRedeemInvite: redeemInvite,
  reqCreateLedger: createLedger,
  reqUpdateLedger: updateLedger,
  reqDeleteLedger: deleteLedger,
  reqListLedgersByUser: listLedgersByUser,
  reqCloudSessionToken: cloudSessionToken,
};

type AnyHandler =
  | { readonly user: 'known'; run(context: UserContext, payload: Record<string, unknown>): Promise<object> }
  | { readonly user: 'new'; run(context: Context, payload: Record<string, unknown>): Promise<object> };

const STATUS_BY_CODE: Partial<Record<string, number>> = {
  REQUEST_INVALID: 400,
  NOT_SIGNED_IN: 401,
  NOT_FOUND: 404,
  CONFLICT: 409,
  LIMIT_REACHED: 409,
};

export interface AdminParts {
  readonly db: Db;
  readonly identities: readonly Identity[];
  readonly tokens: CloudTokens;
  readonly now: () => number;
  readonly report: (error: unknown) => void;
}

export interface AdminAnswer {
  readonly status: number;
  readonly body: Record<string, unknown>;
}

export type Admin = (body: unknown) => Promise<AdminAnswer>;

export function createAdmin(parts: AdminParts): Admin {
  return async (body) => {
    try {
      return { status: 200, body: await answer(parts, body) };
    } catch (cause) {
      return refusal(cause, parts.report);
    }
  };
}

async function answer(parts: AdminParts, body: unknown): Promise<Record<string, unknown>> {
  const request = typeof body === 'object' && body !== null ? (body as Record<string, unknown>) : {};
  const type = request['type'];
  if (type === 'reqTokenByResultId') return tokenByResultId(parts, request['resultId']);
  if (!isRequestType(type)) throw new FixpointError('REQUEST_INVALID', 'unknown type');
  const credentials = auth.safeParse(request['auth']);
  if (!credentials.success) throw new FixpointError('NOT_SIGNED_IN');
  const identity = parts.identities.find((one) => one.type === credentials.data.type);
  if (identity === undefined) throw new FixpointError('NOT_SIGNED_IN', 'unknown auth type');
  const person = await identity.verify(credentials.data.token);
  const payload = REQUESTS[type].payload.safeParse(request);
  if (!payload.success)
    throw new FixpointError('REQUEST_INVALID', payload.error.issues[0]?.message ?? 'shape');
  return { type: type.replace(/^req/, 'res'), ...(await run(parts, type, person, payload.data)) };
}

async function run(
  parts: AdminParts,
  type: RequestType,
  person: Person,
  payload: Record<string, unknown>,
): Promise<object> {
  // The table pairs each type with its handler; that the payload has the handler's shape was checked by the same type's schema.
  const handler = HANDLERS[type as HandledType] as unknown as AnyHandler;
  return parts.db.transaction().execute(async (db) => {
    const context = { db, person, tokens: parts.tokens, now: parts.now() };
    if (handler.user === 'new') return handler.run(context, payload);
    const caller = requireActive(await findCaller(db, person));
    return handler.run({ ...context, caller }, payload);
  });
}

/** A token can be fetched once, within 15 minutes, by whoever knows the random id under which it was kept. */
async function tokenByResultId({ db, now }: AdminParts, resultId: unknown): Promise<Record<string, unknown>> {
  if (typeof resultId !== 'string' || resultId.length > 128)
    throw new FixpointError('REQUEST_INVALID', 'resultId');
  const row = await db
    .deleteFrom('TokenByResultId')
    .where('resultId', '=', resultId)
    .where('createdAt', '>=', timestamp(now() - 15 * 60_000))
    .returning('token')
    .executeTakeFirst();
  const found = row === undefined ? { status: 'not-found' } : { status: 'found', token: row.token };
  return { type: 'resTokenByResultId', resultId, ...found };
}

/** Says what the caller can act on, and nothing of what went wrong inside. */
function refusal(cause: unknown, report: (error: unknown) => void): AdminAnswer {
  const status = isFixpointError(cause) ? STATUS_BY_CODE[cause.code] : undefined;
  if (status === undefined || !isFixpointError(cause)) {
    report(cause);
    return {
      status: 500,
      body: { type: 'error', message: 'Internal Server Error', error: 'Error: Internal Server Error' },
    };
  }
  return {
    status,
    body: { type: 'error', code: cause.code, message: cause.message, error: `Error: ${cause.message}` },
  };
}
