/** Requests of the admin API, `PUT /api` with `{type, auth, ...payload}`, and their answers (spec §7), in one table. */
import * as z from 'zod/mini';
import * as shapes from './shapes.ts';

const text = z.string();
const selected = z.object({ tenant: z.optional(shapes.id), ledger: z.optional(shapes.id) });

const exchange = <Q extends z.core.$ZodLooseShape, A extends z.core.$ZodLooseShape>(
  payload: Q,
  answer: A,
) => ({
  payload: z.object(payload),
  answer: z.looseObject(answer),
});

export const REQUESTS = {
  /** Makes the user known at the first sign-in, and redeems invites. */
  reqEnsureUser: exchange({}, { user: shapes.user, tenants: z.array(shapes.userTenant) }),
  reqFindUser: exchange({ query: shapes.query }, { results: z.array(shapes.foundUser) }),
  reqCreateTenant: exchange({ tenant: z.object({ name: shapes.name }) }, { tenant: shapes.outTenant }),
  reqUpdateTenant: exchange(
    { tenant: z.object({ tenantId: shapes.id, name: shapes.name }) },
    { tenant: shapes.outTenant },
  ),
  reqDeleteTenant: exchange({ tenantId: shapes.id }, { tenantId: text }),
  reqListTenantsByUser: exchange({}, { userId: text, tenants: z.array(shapes.userTenant) }),
  reqUpdateUserTenant: exchange(
    {
      tenantId: shapes.id,
      userId: z.optional(shapes.id),
      role: z.optional(shapes.role),
      default: z.optional(z.boolean()),
      name: z.optional(shapes.name),
    },
    { tenantId: text, userId: text, role: shapes.role, default: z.boolean() },
  ),
  reqInviteUser: exchange(
    {
      ticket: z.object({
        inviteId: z.optional(shapes.id),
        incSendEmailCount: z.optional(z.boolean()),
        query: shapes.query,
        invitedParams: shapes.invitedParams,
      }),
    },
    { invite: shapes.invite },
  ),
  reqListInvites: exchange(
    { tenantIds: z.optional(z.array(shapes.id)) },
    { tickets: z.array(shapes.invite) },
  ),
  reqDeleteInvite: exchange({ inviteId: shapes.id }, { inviteId: text }),
  reqRedeemInvite: exchange({}, { invites: z.array(shapes.invite) }),
  reqCreateLedger: exchange(
    { ledger: z.object({ tenantId: shapes.id, name: shapes.ledgerName }) },
    { ledger: shapes.ledger },
  ),
  reqUpdateLedger: exchange(
    { ledger: z.object({ ledgerId: shapes.id, tenantId: shapes.id, name: shapes.ledgerName }) },
    { ledger: shapes.ledger },
  ),
  reqDeleteLedger: exchange(
    { ledger: z.object({ ledgerId: shapes.id, tenantId: shapes.id }) },
    { ledgerId: text },
  ),
  reqListLedgersByUser: exchange(
    { tenantIds: z.optional(z.array(shapes.id)) },
    { userId: text, ledgers: z.array(shapes.ledger) },
  ),
  /** A token for the storage gateway; under `resultId` it can be fetched once by whoever knows that. */
  reqCloudSessionToken: exchange(
    { selected: z.optional(selected), resultId: z.optional(text.check(z.minLength(8), z.maxLength(128))) },
    { token: text },
  ),
} as const;

export type RequestType = keyof typeof REQUESTS;
export type Payload<T extends RequestType> = z.input<(typeof REQUESTS)[T]['payload']>;
export type CleanPayload<T extends RequestType> = z.output<(typeof REQUESTS)[T]['payload']>;
export type Answer<T extends RequestType> = z.output<(typeof REQUESTS)[T]['answer']>;

export const isRequestType = (type: unknown): type is RequestType =>
  typeof type === 'string' && Object.hasOwn(REQUESTS, type);
