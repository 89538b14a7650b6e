import { ERROR_TEXT, type ErrorCode, FixpointError } from '../errors.ts';
import type { Result } from '../result.ts';
import type { Answer, Payload, RequestType } from './requests.ts';
import type {
  ApiToken,
  Auth,
  FoundUser,
  Invite,
  Ledger,
  OutTenant,
  Query,
  Share,
  UserTenant,
} from './shapes.ts';

export interface AdminClientOptions {
  /** Address of the admin API, such as `/api`. */
  readonly url: string;
  readonly fetch: typeof globalThis.fetch;
  /** Returns the identity token, or undefined when nobody is signed in. */
  readonly auth: () => Promise<Auth | undefined>;
}

/** Client of the admin API. Never throws: returns every failure as an error. */
export interface AdminClient {
  call<T extends RequestType>(type: T, payload: Payload<T>): Promise<Result<Answer<T>>>;
  ensureUser(): Promise<Result<Answer<'reqEnsureUser'>>>;
  findUser(query: Query): Promise<Result<FoundUser[]>>;
  createTenant(name: string): Promise<Result<OutTenant>>;
  updateTenant(tenantId: string, name: string): Promise<Result<OutTenant>>;
  /** Transfers the tenant to another of its admins. */
  transferTenant(tenantId: string, userId: string): Promise<Result<OutTenant>>;
  deleteTenant(tenantId: string): Promise<Result<string>>;
  listTenantsByUser(): Promise<Result<UserTenant[]>>;
  updateUserTenant(change: Payload<'reqUpdateUserTenant'>): Promise<Result<Answer<'reqUpdateUserTenant'>>>;
  inviteUser(ticket: Payload<'reqInviteUser'>['ticket']): Promise<Result<Invite>>;
  listInvites(tenantIds?: string[]): Promise<Result<Invite[]>>;
  /** Lists the caller's own pending invites. */
  listOwnInvites(): Promise<Result<Invite[]>>;
  deleteInvite(inviteId: string): Promise<Result<string>>;
  /** Accepts one of the caller's pending invites, or all of them. */
  redeemInvite(inviteId?: string): Promise<Result<Invite[]>>;
  createLedger(ledger: Payload<'reqCreateLedger'>['ledger']): Promise<Result<Ledger>>;
  updateLedger(ledger: Payload<'reqUpdateLedger'>['ledger']): Promise<Result<Ledger>>;
  deleteLedger(ledger: Payload<'reqDeleteLedger'>['ledger']): Promise<Result<string>>;
  listLedgersByUser(tenantIds?: string[]): Promise<Result<Ledger[]>>;
  cloudSessionToken(choice?: Payload<'reqCloudSessionToken'>): Promise<Result<string>>;
  ensureCloudToken(asked: Payload<'reqEnsureCloudToken'>): Promise<Result<Answer<'reqEnsureCloudToken'>>>;
  /** Needs no sign-in: the token is the secret. */
  extendToken(token: string): Promise<Result<string>>;
  certFromCsr(csr: string): Promise<Result<string>>;
  removeMember(tenantId: string, userId: string): Promise<Result<string>>;
  rejectInvite(inviteId: string): Promise<Result<Invite>>;
  shareLedger(share: Payload<'reqShareLedger'>): Promise<Result<Share>>;
  unshareLedger(share: Payload<'reqUnshareLedger'>): Promise<Result<string>>;
  /** `ended` includes ended shares. */
  listShares(
    ledger: Payload<'reqListShares'>['ledger'],
    ended?: boolean,
  ): Promise<Result<Answer<'reqListShares'>>>;
  listAudit(page: Payload<'reqListAudit'>): Promise<Result<Answer<'reqListAudit'>>>;
  /** The answer is the only place where `token` appears. */
  createApiToken(asked: Payload<'reqCreateApiToken'>): Promise<Result<Answer<'reqCreateApiToken'>>>;
  /** Lists the tokens of a tenant, or the caller's own. */
  listApiTokens(tenantId?: string): Promise<Result<ApiToken[]>>;
  revokeApiToken(tokenId: string): Promise<Result<string>>;
  /** Needs no sign-in. */
  startLogin(client: string): Promise<Result<Answer<'reqStartLogin'>>>;
  describeLogin(userCode: string): Promise<Result<Answer<'reqDescribeLogin'>>>;
  decideLogin(userCode: string, approve: boolean): Promise<Result<'approved' | 'denied'>>;
  /** Needs no sign-in. */
  pollLogin(deviceCode: string): Promise<Result<Answer<'reqPollLogin'>>>;
  /** Returns the token stored under an id, or undefined while there is none. Needs no sign-in. */
  tokenByResultId(resultId: string): Promise<Result<string | undefined>>;
}

export function createAdminClient(options: AdminClientOptions): AdminClient {
  const call: AdminClient['call'] = (type, payload) => send(options, type, payload);
  return {
    call,
    ensureUser: () => call('reqEnsureUser', {}),
    findUser: async (query) => map(await call('reqFindUser', { query }), ({ results }) => results),
    createTenant: async (name) => map(await call('reqCreateTenant', { tenant: { name } }), tenantOf),
    updateTenant: async (tenantId, name) =>
      map(await call('reqUpdateTenant', { tenant: { tenantId, name } }), tenantOf),
    transferTenant: async (tenantId, userId) =>
      map(await call('reqTransferTenant', { tenantId, userId }), tenantOf),
    deleteTenant: async (tenantId) =>
      map(await call('reqDeleteTenant', { tenantId }), (answer) => answer.tenantId),
    listTenantsByUser: async () => map(await call('reqListTenantsByUser', {}), ({ tenants }) => tenants),
    updateUserTenant: (change) => call('reqUpdateUserTenant', change),
    inviteUser: async (ticket) => map(await call('reqInviteUser', { ticket }), ({ invite }) => invite),
    listInvites: async (tenantIds) =>
      map(await call('reqListInvites', narrowedBy(tenantIds)), ({ tickets }) => tickets),
    listOwnInvites: async () => map(await call('reqListInvites', { toMe: true }), ({ tickets }) => tickets),
    deleteInvite: async (inviteId) =>
      map(await call('reqDeleteInvite', { inviteId }), (answer) => answer.inviteId),
    redeemInvite: async (inviteId) =>
      map(
        await call('reqRedeemInvite', inviteId === undefined ? {} : { inviteId }),
        ({ invites }) => invites,
      ),
    createLedger: async (ledger) => map(await call('reqCreateLedger', { ledger }), ledgerOf),
    updateLedger: async (ledger) => map(await call('reqUpdateLedger', { ledger }), ledgerOf),
    deleteLedger: async (ledger) =>
      map(await call('reqDeleteLedger', { ledger }), (answer) => answer.ledgerId),
    listLedgersByUser: async (tenantIds) =>
      map(await call('reqListLedgersByUser', narrowedBy(tenantIds)), ({ ledgers }) => ledgers),
    cloudSessionToken: async (choice = {}) =>
      map(await call('reqCloudSessionToken', choice), ({ token }) => token),
    ensureCloudToken: (asked) => call('reqEnsureCloudToken', asked),
    extendToken: async (token) => map(await call('reqExtendToken', { token }), (answer) => answer.token),
    certFromCsr: async (csr) => map(await call('reqCertFromCsr', { csr }), ({ certificate }) => certificate),
    removeMember: async (tenantId, userId) =>
      map(await call('reqRemoveMember', { tenantId, userId }), (answer) => answer.userId),
    rejectInvite: async (inviteId) =>
      map(await call('reqRejectInvite', { inviteId }), ({ invite }) => invite),
    shareLedger: async (asked) => map(await call('reqShareLedger', asked), ({ share }) => share),
    unshareLedger: async (asked) => map(await call('reqUnshareLedger', asked), ({ userId }) => userId),
    listShares: (ledger, ended) => call('reqListShares', ended ? { ledger, ended } : { ledger }),
    listAudit: (page) => call('reqListAudit', page),
    createApiToken: (asked) => call('reqCreateApiToken', asked),
    listApiTokens: async (tenantId) =>
      map(
        await call('reqListApiTokens', tenantId === undefined ? {} : { tenantId }),
        ({ apiTokens }) => apiTokens,
      ),
    revokeApiToken: async (tokenId) =>
      map(await call('reqRevokeApiToken', { tokenId }), (answer) => answer.tokenId),
    startLogin: (client) => call('reqStartLogin', { client }),
    describeLogin: (userCode) => call('reqDescribeLogin', { userCode }),
    decideLogin: async (userCode, approve) =>
      map(await call('reqDecideLogin', { userCode, approve }), ({ status }) => status),
    pollLogin: (deviceCode) => call('reqPollLogin', { deviceCode }),
    tokenByResultId: async (resultId) =>
      map(await call('reqTokenByResultId', { resultId }), ({ token }) => token),
  };
}

const map = <T, U>(result: Result<T>, take: (value: T) => U): Result<U> =>
  result.ok ? { ok: true, value: take(result.value) } : result;
const tenantOf = ({ tenant }: { tenant: OutTenant }) => tenant;
const ledgerOf = ({ ledger }: { ledger: Ledger }) => ledger;
const narrowedBy = (tenantIds: string[] | undefined) => (tenantIds === undefined ? {} : { tenantIds });

/**
 * Loads the request schemas, on the first call or ahead of it. Pages that call nothing never load
 * them.
 */
export const loadRequests = (): Promise<typeof import('./requests.ts')> => import('./requests.ts');

async function send<T extends RequestType>(
  { url, fetch, auth }: AdminClientOptions,
  type: T,
  payload: Payload<T>,
): Promise<Result<Answer<T>>> {
  try {
    const { isPublicRequest, REQUESTS } = await loadRequests();
    const credentials = isPublicRequest(type) ? {} : { auth: await credentialsOf(auth) };
    const response = await fetch(url, {
      method: 'PUT',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      credentials: 'omit',
      body: JSON.stringify({ type, ...credentials, ...payload }),
    });
    const body = await response.text();
    if (!response.ok) return { ok: false, error: refusal(response, body) };
    return { ok: true, value: REQUESTS[type].answer.parse(JSON.parse(body)) as Answer<T> };
  } catch (cause) {
    const error =
      cause instanceof FixpointError
        ? cause
        : new FixpointError('FETCH', (cause as Error).message, { cause });
    return { ok: false, error };
  }
}

async function credentialsOf(auth: AdminClientOptions['auth']): Promise<Auth> {
  const credentials = await auth();
  if (credentials === undefined) throw new FixpointError('NO_TOKEN');
  return credentials;
}

/** Builds the error: its text follows spec §8; its code is the server's, where it sent one. */
function refusal({ status, statusText }: Response, body: string): FixpointError {
  const { code, message } = said(body);
  const known = typeof code === 'string' && Object.hasOwn(ERROR_TEXT, code);
  const error = new FixpointError(known ? (code as ErrorCode) : 'HTTP', undefined, {
    cause: typeof message === 'string' ? message : body,
  });
  error.message = `HTTP: ${status} ${statusText}: ${body}`;
  return error;
}

function said(body: string): { code?: unknown; message?: unknown } {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

/** Returns what to show a person: the server's reason, or else the text of the error. */
export const reasonFor = (error: FixpointError): string =>
  typeof error.cause === 'string' ? error.cause : error.message;
