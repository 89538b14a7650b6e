/**
 * Shapes shared by several admin requests (spec §3). Answer shapes are loose, because a newer
 * server may send more fields.
 */
import * as v from 'valibot';
import { LIMITS } from '../limits.ts';
import { visibleName } from '../names.ts';
import { LEDGER_KINDS } from '../storage/metas.ts';
import { fields, oneOf, rewrite, wholeNumber } from './field-schemas.ts';

export const auth = fields({ type: v.string(), token: v.string() });
export type Auth = v.InferOutput<typeof auth>;

const NAME_CHARS_MAX = 200;
const notTooLong = v.maxLength<string, number, string>(
  NAME_CHARS_MAX,
  `Name must be at most ${NAME_CHARS_MAX} characters`,
);
/**
 * One line of text that every store keeps and every screen shows unchanged: no control characters,
 * no lone surrogates.
 */
const oneLine = v.regex<string, string>(/^[^\p{Cc}\p{Cs}]*$/u, 'Name must be one line of text');

const isId = v.regex<string, string>(/^[A-Za-z0-9_-]{1,128}$/, 'must be 1 to 128 letters, digits, - or _');
export const id = v.pipe(v.string(), isId);
export const ids = v.pipe(v.array(id), v.maxLength(1000));
/** Removes invisible characters. */
const visible = rewrite(visibleName);

export const name = v.pipe(
  v.string('Name is required'),
  v.trim(),
  visible,
  v.minLength(1, 'Name is required'),
  notTooLong,
  oneLine,
);
export const ledgerName = v.pipe(
  v.string('Name is required'),
  v.trim(),
  visible,
  v.minLength(1, 'Name is required'),
  v.minLength(LIMITS.ledgerNameCharsMin, `Name must be at least ${LIMITS.ledgerNameCharsMin} characters`),
  notTooLong,
  oneLine,
);

/** `admin` manages the tenant; a `member` works in its ledgers. */
export const role = oneOf(['admin', 'member']);
export type Role = v.InferOutput<typeof role>;
export const right = oneOf(['read', 'write']);
export type Right = v.InferOutput<typeof right>;
/** Says who can read the content of a ledger. */
export const ledgerKind = oneOf(LEDGER_KINDS);

const dates = { createdAt: v.string(), updatedAt: v.string() };
const standing = { status: v.string(), statusReason: v.optional(v.string()) };

const byProvider = v.looseObject({
  queryProvider: v.string(),
  cleanEmail: v.optional(v.string()),
  cleanNick: v.optional(v.string()),
  /** `email_verified` says whether the owner verified the address, or somebody only typed it. */
  params: v.looseObject({
    image_url: v.optional(v.nullable(v.string())),
    email_verified: v.optional(v.boolean()),
  }),
});
export type ByProvider = v.InferOutput<typeof byProvider>;

export const user = v.looseObject({
  userId: v.string(),
  ...standing,
  maxTenants: v.number(),
  /**
   * Number of tenants that the user owns. Each counts towards `maxTenants`, whatever the user's
   * role in it. Fixpoint extension.
   */
  ownedTenants: v.optional(v.number()),
  /** Whether the user operates this server. Fixpoint extension. */
  operator: v.optional(v.boolean()),
  byProviders: v.array(byProvider),
  ...dates,
});
export type User = v.InferOutput<typeof user>;

export const foundUser = v.looseObject({ userId: v.string(), byProviders: v.array(byProvider) });
export type FoundUser = v.InferOutput<typeof foundUser>;

export const outTenant = v.looseObject({
  tenantId: v.string(),
  name: v.string(),
  ownerUserId: v.string(),
  ...standing,
  ...dates,
});
export type OutTenant = v.InferOutput<typeof outTenant>;

const member = v.object({
  userId: v.string(),
  role,
  /**
   * The member's name in the tenant; without one, the name at the sign-in provider. Neither name is
   * verified, so only the address identifies a member.
   */
  name: v.optional(v.string()),
  email: v.optional(v.string()),
  /** When the membership began. Fixpoint extension. */
  joinedAt: v.optional(v.string()),
});
export type Member = v.InferOutput<typeof member>;

/** Limits of a tenant. An operator can change them. */
const tenantLimits = v.looseObject({
  maxAdminUsers: v.number(),
  maxMemberUsers: v.number(),
  maxInvites: v.number(),
  maxLedgers: v.number(),
});
export type TenantLimits = v.InferOutput<typeof tenantLimits>;

/** Somebody who wrote to a ledger. Nobody verified the name, and the id distinguishes people. */
const writer = v.object({ userId: v.string(), name: v.string() });
export type Writer = v.InferOutput<typeof writer>;

export const userTenant = v.looseObject({
  tenantId: v.string(),
  role,
  default: v.boolean(),
  user: v.looseObject({ name: v.optional(v.string()), ...standing }),
  tenant: v.looseObject({
    name: v.optional(v.string()),
    ...standing,
    limits: v.optional(tenantLimits),
    /** Owner of the tenant, sent to admins only. Fixpoint extension. */
    ownerUserId: v.optional(v.string()),
  }),
  /** Sent to admins only. */
  members: v.optional(v.array(member)),
  adminUserIds: v.optional(v.array(v.string())),
  memberUserIds: v.optional(v.array(v.string())),
  /**
   * People with entries in a ledger of the tenant that the caller may read. Omits people who left
   * the tenant, own users of applications, and people without a name. Fixpoint extension.
   */
  writers: v.optional(v.array(writer)),
});
export type UserTenant = v.InferOutput<typeof userTenant>;

/** Rights of one user in a ledger. */
const ledgerUser = v.looseObject({ userId: v.string(), role, right });
export type LedgerUser = v.InferOutput<typeof ledgerUser>;

export const ledger = v.looseObject({
  ledgerId: v.string(),
  tenantId: v.string(),
  name: v.string(),
  ownerId: v.string(),
  maxShares: v.number(),
  /** Undefined until the creator or the first write sets it. */
  kind: v.optional(ledgerKind),
  /**
   * The ledger that this one will replace, or replaced: it was created with the rights of that one.
   * Fixpoint extension.
   */
  successorOf: v.optional(v.string()),
  /** The ledger of the same tenant that this one moved to. Fixpoint extension. */
  movedTo: v.optional(v.string()),
  /** Contains only the calling user. */
  users: v.optional(v.array(ledgerUser)),
  ...dates,
});
export type Ledger = v.InferOutput<typeof ledger>;

const searched = v.pipe(v.string(), v.maxLength(320));
/**
 * The user that a request is about. If several fields are set, `existingUserId` counts first, then
 * `byString` (an id or a whole address), then `byEmail`.
 */
export const query = fields({
  byString: v.optional(searched),
  existingUserId: v.optional(id),
  byEmail: v.optional(searched),
  byNick: v.optional(searched),
  andProvider: v.optional(searched),
});
export type Query = v.InferOutput<typeof query>;

/** An invite grants either a membership of a tenant, or a right in one ledger. */
export const invitedParams = v.pipe(
  fields({
    tenant: v.optional(fields({ id, role: v.optional(role) })),
    ledger: v.optional(fields({ id, role: v.optional(role), right: v.optional(right) })),
  }),
  v.check(
    ({ tenant, ledger }) => (tenant === undefined) !== (ledger === undefined),
    'either ledger or tenant must be set',
  ),
);
export const invite = v.looseObject({
  inviteId: v.string(),
  inviterUserId: v.string(),
  invitedUserId: v.optional(v.string()),
  query: v.looseObject({ byEmail: v.optional(v.string()), existingUserId: v.optional(v.string()) }),
  invitedParams: v.looseObject({
    tenant: v.optional(v.looseObject({ id: v.string(), role: v.optional(role) })),
    ledger: v.optional(v.looseObject({ id: v.string(), role: v.optional(role), right: v.optional(right) })),
  }),
  sendEmailCount: v.number(),
  /**
   * False when the server sent no mail, because the address got too many mails or opted out. Sent
   * only to the inviter. Fixpoint extension.
   */
  mailed: v.optional(v.boolean()),
  /**
   * Address of a user who is invited by id. Lists for admins contain this address, because a search
   * for the user would return it, too. Fixpoint extension.
   */
  invitee: v.optional(v.string()),
  /** Name of the tenant or ledger, and address of the inviter. Sent to the invitee. */
  place: v.optional(v.string()),
  inviter: v.optional(v.string()),
  ...standing,
  expiresAfter: v.string(),
  ...dates,
});
export type Invite = v.InferOutput<typeof invite>;

/** A user with a right in a ledger. */
export const share = v.looseObject({
  userId: v.string(),
  role,
  right,
  /** `active`, or `inactive` for an ended share. */
  status: v.optional(v.string()),
  /** See {@link member}. */
  name: v.optional(v.string()),
  email: v.optional(v.string()),
  ...dates,
});
export type Share = v.InferOutput<typeof share>;

/** Records who did what, when and from where. */
export const auditRecord = v.looseObject({
  /** Sequence number within the tenant. */
  seq: v.number(),
  at: v.string(),
  userId: v.string(),
  /** Type of the request. */
  action: v.string(),
  tenantId: v.string(),
  ledgerId: v.optional(v.string()),
  /** Parameters of the request as JSON: ids, names, roles, addresses; never a secret. */
  detail: v.string(),
  /** Network address of the request, when it is known. */
  from: v.optional(v.string()),
});
export type AuditRecord = v.InferOutput<typeof auditRecord>;

/**
 * Maximum right of a token for programs: `admin` allows what its creator may do in the tenant;
 * `write` and `read` only use the ledgers; `users` only manages the own users of applications. A
 * token never allows more than its creator's current rights.
 */
export const tokenRight = oneOf(['read', 'write', 'admin', 'users']);
export type TokenRight = v.InferOutput<typeof tokenRight>;

/** A token for programs, without the secret. */
export const apiToken = v.looseObject({
  tokenId: v.string(),
  /** Missing for the token of a signed-in device. Such a token acts as its user in every tenant. */
  tenantId: v.optional(v.string()),
  /** The user as whom the token acts. */
  userId: v.string(),
  name: v.string(),
  right: tokenRight,
  createdAt: v.string(),
  expiresAt: v.string(),
  /** Accurate to a minute; missing if the token was never used. */
  lastUsedAt: v.optional(v.string()),
});
export type ApiToken = v.InferOutput<typeof apiToken>;

/**
 * Eight letters that are hard to confuse with each other, in upper or lower case, with or without a
 * dash: `BCDF-GHJK`.
 */
export const userCode = v.pipe(
  v.string(),
  v.trim(),
  v.toUpperCase(),
  rewrite((text) => text.replace(/[^A-Z]/g, '')),
  v.regex(/^[BCDFGHJKLMNPQRSTVWXZ]{8}$/, 'code must be eight letters'),
);

/** Maximum number of items in an answer. `next` is present when the list is longer. */
export const PAGE_MAX = 1000;

/** Request fields that page through a list. */
export const page = {
  /** Returns only the first N items. With `limit` or `after`, the list is ordered by item id. */
  limit: v.optional(wholeNumber(1, PAGE_MAX)),
  /** Starts after this item: the `next` of the previous answer. */
  after: v.optional(id),
};

/** Present when there are more items: send it as `after`. */
export const next = v.optional(v.string());
