/**
 * Shapes shared by several admin requests (spec §3). Answer shapes are loose, because a newer
 * server may send more fields.
 */
import * as z from 'zod/mini';
import { LIMITS } from '../limits.ts';
import { visibleName } from '../names.ts';
import { LEDGER_KINDS } from '../storage/metas.ts';

// Compiled validators need `new Function`, which the console's content policy refuses.
z.config({ jitless: true });

export const auth = z.object({ type: z.string(), token: z.string() });
export type Auth = z.infer<typeof auth>;

const NAME_CHARS_MAX = 200;
const notTooLong = z.maxLength(NAME_CHARS_MAX, `Name must be at most ${NAME_CHARS_MAX} characters`);
/**
 * One line of text that every store and screen returns unchanged: no control characters, no lone
 * surrogates.
 */
const oneLine = z.regex(/^[^\p{Cc}\p{Cs}]*$/u, 'Name must be one line of text');

const isId = z.regex(/^[A-Za-z0-9_-]{1,128}$/, 'must be 1 to 128 letters, digits, - or _');
export const id = z.string().check(isId);
export const ids = z.array(id).check(z.maxLength(1000));
/** Removes invisible characters. */
const visible = z.overwrite<string>(visibleName);

export const name = z
  .string('Name is required')
  .check(z.trim(), visible, z.minLength(1, 'Name is required'), notTooLong, oneLine);
export const ledgerName = z
  .string('Name is required')
  .check(
    z.trim(),
    visible,
    z.minLength(1, 'Name is required'),
    z.minLength(LIMITS.ledgerNameCharsMin, `Name must be at least ${LIMITS.ledgerNameCharsMin} characters`),
    notTooLong,
    oneLine,
  );

/** `admin` manages the tenant; a `member` works in its ledgers. */
export const role = z.enum(['admin', 'member']);
export type Role = z.infer<typeof role>;
export const right = z.enum(['read', 'write']);
export type Right = z.infer<typeof right>;
/** Who can read the content of a ledger. */
export const ledgerKind = z.enum(LEDGER_KINDS);

const dates = { createdAt: z.string(), updatedAt: z.string() };
const standing = { status: z.string(), statusReason: z.optional(z.string()) };

export const byProvider = z.looseObject({
  queryProvider: z.string(),
  cleanEmail: z.optional(z.string()),
  cleanNick: z.optional(z.string()),
  /** `email_verified` tells an address that its owner proved from one that somebody typed. */
  params: z.looseObject({
    image_url: z.optional(z.nullable(z.string())),
    email_verified: z.optional(z.boolean()),
  }),
});
export type ByProvider = z.infer<typeof byProvider>;

export const user = z.looseObject({
  userId: z.string(),
  ...standing,
  maxTenants: z.number(),
  /**
   * Number of tenants that the user owns, which count towards `maxTenants` whatever their role
   * there. Fixpoint extension.
   */
  ownedTenants: z.optional(z.number()),
  byProviders: z.array(byProvider),
  ...dates,
});
export type User = z.infer<typeof user>;

export const foundUser = z.looseObject({ userId: z.string(), byProviders: z.array(byProvider) });
export type FoundUser = z.infer<typeof foundUser>;

export const outTenant = z.looseObject({
  tenantId: z.string(),
  name: z.string(),
  ownerUserId: z.string(),
  ...standing,
  ...dates,
});
export type OutTenant = z.infer<typeof outTenant>;

export const member = z.object({
  userId: z.string(),
  role,
  /**
   * Name in the tenant, or else at the sign-in provider. Members choose it themselves: only the
   * address identifies them.
   */
  name: z.optional(z.string()),
  email: z.optional(z.string()),
});
export type Member = z.infer<typeof member>;

/** Maximum numbers in a tenant; an operator can change them. */
const tenantLimits = z.looseObject({
  maxAdminUsers: z.number(),
  maxMemberUsers: z.number(),
  maxInvites: z.number(),
  maxLedgers: z.number(),
});
export type TenantLimits = z.infer<typeof tenantLimits>;

export const userTenant = z.looseObject({
  tenantId: z.string(),
  role,
  default: z.boolean(),
  user: z.looseObject({ name: z.optional(z.string()), ...standing }),
  tenant: z.looseObject({
    name: z.optional(z.string()),
    ...standing,
    limits: z.optional(tenantLimits),
    /** Owner of the tenant, sent to admins only. Fixpoint extension. */
    ownerUserId: z.optional(z.string()),
  }),
  /** Sent to admins only. */
  members: z.optional(z.array(member)),
  adminUserIds: z.optional(z.array(z.string())),
  memberUserIds: z.optional(z.array(z.string())),
});
export type UserTenant = z.infer<typeof userTenant>;

/** Rights of one user in a ledger. */
export const ledgerUser = z.looseObject({ userId: z.string(), role, right });
export type LedgerUser = z.infer<typeof ledgerUser>;

export const ledger = z.looseObject({
  ledgerId: z.string(),
  tenantId: z.string(),
  name: z.string(),
  ownerId: z.string(),
  maxShares: z.number(),
  /** Undefined until it is chosen, or settled by the first write. */
  kind: z.optional(ledgerKind),
  /** Contains only the calling user. */
  users: z.optional(z.array(ledgerUser)),
  ...dates,
});
export type Ledger = z.infer<typeof ledger>;

const searched = z.string().check(z.maxLength(320));
/**
 * Whom a request is about. `existingUserId` wins, then `byString` (an id or a whole address), then
 * `byEmail`.
 */
export const query = z.object({
  byString: z.optional(searched),
  existingUserId: z.optional(id),
  byEmail: z.optional(searched),
  byNick: z.optional(searched),
  andProvider: z.optional(searched),
});
export type Query = z.infer<typeof query>;

/**
 * What an invite grants: a membership of a tenant, or a right in one ledger. Exactly one of the
 * two.
 */
export const invitedParams = z
  .object({
    tenant: z.optional(z.object({ id, role: z.optional(role) })),
    ledger: z.optional(z.object({ id, role: z.optional(role), right: z.optional(right) })),
  })
  .check(
    z.refine(
      ({ tenant, ledger }) => (tenant === undefined) !== (ledger === undefined),
      'either ledger or tenant must be set',
    ),
  );
export const invite = z.looseObject({
  inviteId: z.string(),
  inviterUserId: z.string(),
  invitedUserId: z.optional(z.string()),
  query: z.looseObject({ byEmail: z.optional(z.string()), existingUserId: z.optional(z.string()) }),
  invitedParams: z.looseObject({
    tenant: z.optional(z.looseObject({ id: z.string(), role: z.optional(role) })),
    ledger: z.optional(z.looseObject({ id: z.string(), role: z.optional(role), right: z.optional(right) })),
  }),
  sendEmailCount: z.number(),
  /**
   * False when no mail was sent because the address had too many or opted out. Sent to the inviter.
   * Fixpoint extension.
   */
  mailed: z.optional(z.boolean()),
  /**
   * Address of the user that the invite names by id, and nothing beyond what `reqFindUser` reveals.
   * Sent to admins in lists. Fixpoint extension.
   */
  invitee: z.optional(z.string()),
  /** Name of the tenant or ledger, and of the inviter. Sent to the invitee. */
  place: z.optional(z.string()),
  inviter: z.optional(z.string()),
  ...standing,
  expiresAfter: z.string(),
  ...dates,
});
export type Invite = z.infer<typeof invite>;

/** A user with a right in a ledger. */
export const share = z.looseObject({
  userId: z.string(),
  role,
  right,
  /** `active`, or `inactive` for an ended share. */
  status: z.optional(z.string()),
  /** See {@link member}. */
  name: z.optional(z.string()),
  email: z.optional(z.string()),
  ...dates,
});
export type Share = z.infer<typeof share>;

/** Who did what, when, from where. */
export const auditRecord = z.looseObject({
  /** Sequence number within the tenant. */
  seq: z.number(),
  at: z.string(),
  userId: z.string(),
  /** Type of the request. */
  action: z.string(),
  tenantId: z.string(),
  ledgerId: z.optional(z.string()),
  /** Parameters of the request as JSON: ids, names, roles, addresses; never a secret. */
  detail: z.string(),
  /** Network address of the request, when it is known. */
  from: z.optional(z.string()),
});
export type AuditRecord = z.infer<typeof auditRecord>;

/**
 * Maximum right of a token for programs: `admin` allows what its creator may do in the tenant;
 * `write` and `read` only use the ledgers. It never exceeds the creator's current rights.
 */
export const tokenRight = z.enum(['read', 'write', 'admin']);
export type TokenRight = z.infer<typeof tokenRight>;

/** A token for programs, without the secret. */
export const apiToken = z.looseObject({
  tokenId: z.string(),
  /** Missing for a token that acts as its user in every tenant: a signed-in device. */
  tenantId: z.optional(z.string()),
  /** The user that it acts as. */
  userId: z.string(),
  name: z.string(),
  right: tokenRight,
  createdAt: z.string(),
  expiresAt: z.string(),
  /** To within a minute; missing when it was never used. */
  lastUsedAt: z.optional(z.string()),
});
export type ApiToken = z.infer<typeof apiToken>;

/** Eight letters that are hard to confuse, in any case, with or without a dash: `BCDF-GHJK`. */
export const userCode = z.string().check(
  z.trim(),
  z.toUpperCase(),
  z.overwrite((text) => text.replace(/[^A-Z]/g, '')),
  z.regex(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/, 'code must be eight letters'),
);
