/**
 * The texts of `/openapi.json` for each admin request and field. A new request doesn't compile
 * without a text.
 */
import type { RequestType } from '@fixpoint/protocol/admin';

export interface RequestDoc {
  readonly summary: string;
  readonly description: string;
}

const doc = (summary: string, description: string): RequestDoc => ({ summary, description });

export const REQUEST_DOCS: Readonly<Record<RequestType, RequestDoc>> = {
  reqEnsureUser: doc(
    'Sign in',
    'Creates the user at the first sign-in, and returns the user with their tenants. A user who is not active learns their status and nothing more.',
  ),
  reqFindUser: doc(
    'Find a user',
    'Finds users by a whole email address or id. Parts of an address find nobody.',
  ),
  reqCreateTenant: doc(
    'Create a tenant',
    'Creates a tenant that the caller owns and administers. A user owns five at most.',
  ),
  reqUpdateTenant: doc('Rename a tenant', 'Changes the name of a tenant. For its admins.'),
  reqTransferTenant: doc(
    'Hand a tenant over',
    'Makes another admin the owner of a tenant. For its owner alone. Needs a sign-in or confirmation in the last 15 minutes (CONFIRM_IDENTITY).',
  ),
  reqDeleteTenant: doc(
    'Delete a tenant',
    'Deletes a tenant with its databases, members, invites and tokens. It cannot be undone.',
  ),
  reqListTenantsByUser: doc(
    'List tenants',
    'Lists the tenants that the caller belongs to. Admins get the members, too.',
  ),
  reqUpdateUserTenant: doc(
    'Change a member',
    'Changes a member’s name, role, or which tenant is their default. Members change their own name and default; roles are for admins.',
  ),
  reqInviteUser: doc(
    'Invite somebody',
    'Invites a user or an email address to a tenant or to one database. With `inviteId` it changes a pending invite, and with `incSendEmailCount` it mails it again.',
  ),
  reqListInvites: doc(
    'List invites',
    'Lists invites to tenants that the caller administers, or with `toMe` the ones that wait for the caller.',
  ),
  reqDeleteInvite: doc('Delete an invite', 'Takes an invite back. For admins of its tenant.'),
  reqRedeemInvite: doc(
    'Accept invites',
    'Accepts the invites that wait for the caller. With `inviteId` it accepts one, or says why not.',
  ),
  reqRejectInvite: doc('Reject an invite', 'Turns down an invite that waits for the caller.'),
  reqCreateLedger: doc(
    'Create a database',
    'Creates a database in a tenant. For its admins; a tenant has five at most.',
  ),
  reqUpdateLedger: doc('Rename a database', 'Changes the name of a database. For admins of its tenant.'),
  reqDeleteLedger: doc(
    'Delete a database',
    'Deletes a database with its documents and files. It cannot be undone.',
  ),
  reqListLedgersByUser: doc(
    'List databases',
    'Lists the databases that the caller may read, in all tenants or in some.',
  ),
  reqCloudSessionToken: doc(
    'Get a cloud token',
    'Returns a token for the storage gateway that opens what is selected. A token for another application (`handOff`, `resultId`) opens one database for an hour at most.',
  ),
  reqTokenByResultId: doc(
    'Fetch a token that was handed over',
    'Returns the token that a user left under an id, once. Needs no `auth`: the id is the secret.',
  ),
  reqEnsureCloudToken: doc(
    'Get a token for an application’s database',
    'Returns a token for the database of an application, and creates the database when there is none.',
  ),
  reqExtendToken: doc(
    'Extend a cloud token',
    'Exchanges a valid cloud token for a newer one that opens no more. Needs no `auth`: the token is the secret.',
  ),
  reqCertFromCsr: doc(
    'Certify a device key',
    'Registers the key of a device, which then signs in as the caller for 90 days. Needs a sign-in or confirmation in the last 15 minutes (CONFIRM_IDENTITY).',
  ),
  reqRemoveMember: doc('Remove a member', 'Removes a member from a tenant, or lets the caller leave it.'),
  reqShareLedger: doc(
    'Share a database',
    'Gives a user a right of their own in a database. For admins of its tenant.',
  ),
  reqUnshareLedger: doc('End a share', 'Ends what a user may do in a database. For admins of its tenant.'),
  reqListShares: doc(
    'List shares',
    'Lists with whom a database is shared, and with the first page its invites.',
  ),
  reqListAudit: doc('List audit records', 'Lists what was done in a tenant, newest first. For its admins.'),
  reqCreateApiToken: doc(
    'Create an API token',
    'Creates a token for a program in one tenant and returns its secret once. Needs a sign-in or confirmation in the last 15 minutes (CONFIRM_IDENTITY).',
  ),
  reqListApiTokens: doc(
    'List API tokens',
    'Lists the tokens of a tenant, or without `tenantId` the devices that are signed in as the caller.',
  ),
  reqRevokeApiToken: doc('Revoke an API token', 'Ends a token or a device at once.'),
  reqStartLogin: doc(
    'Begin to sign a device in',
    'Returns a code that a person approves in the console, and a secret to poll with. Needs no `auth`.',
  ),
  reqDescribeLogin: doc(
    'Look at a device’s code',
    'Returns what a device says of itself and where it asks from, before anybody approves it.',
  ),
  reqDecideLogin: doc(
    'Approve a device’s code',
    'Approves or refuses a device that shows a code. Approving needs a sign-in or confirmation in the last 15 minutes (CONFIRM_IDENTITY).',
  ),
  reqPollLogin: doc(
    'Fetch a device’s token',
    'Returns whether the code was approved, and then the token, once. Needs no `auth`: the device code is the secret.',
  ),
};

/** By name: a name means the same in every request. */
export const FIELD_DOCS: Readonly<Record<string, string>> = {
  query: 'Whom the request is about. `existingUserId` wins, then `byString`, then `byEmail`.',
  byString: 'A user’s id or a whole email address.',
  existingUserId: 'The id of a user.',
  byEmail: 'A whole email address.',
  byNick: 'A name at the sign-in provider. Existing clients send it; it finds nobody.',
  andProvider: 'A sign-in provider. Existing clients send it; it narrows nothing.',
  tenant: 'A tenant: its id, or an object with its id or name.',
  name: 'A name: one line of at most 200 characters.',
  tenantId: 'The id of a tenant.',
  userId: 'The id of a user.',
  limit:
    'How many items to return at most. With `limit` or `after`, a list is ordered by the ids of its items.',
  after: 'Starts after the item that the answer before named in `next`.',
  before: 'Returns records with smaller numbers than this one.',
  role: 'What somebody is in a tenant: `admin` or `member`.',
  default: 'Whether this is the tenant that the user works in by default.',
  ticket: 'The invite.',
  inviteId: 'The id of an invite.',
  incSendEmailCount: 'Mails the invite again.',
  invitedParams: 'What the invite gives: a place in a tenant, or a right in one database.',
  id: 'The id of the tenant or database.',
  ledger: 'A database: its id, or an object with its id, tenant or name.',
  right: 'What is allowed: `read` or `write`; for an API token also `admin`.',
  tenantIds: 'Returns only what belongs to these tenants.',
  ledgerIds: 'Returns only what belongs to these databases.',
  toMe: 'Returns the invites that wait for the caller.',
  kind: 'Who can open the documents: `open-key`, or `sealed` for end-to-end encryption.',
  ledgerId: 'The id of a database.',
  selected: 'The tenant and database that a client attaches to. It narrows the token.',
  opens: 'What the token opens: one `ledger`, one `tenant`, or `all`.',
  handOff: 'Whether the token goes to another application.',
  resultId: 'A secret of at least 22 characters that the application made.',
  lifeSeconds: 'For how many seconds the token is valid: 60 to 3600, default 600.',
  appId: 'The name of an application.',
  env: 'A stage of the application, default `prod`.',
  token: 'A cloud token.',
  csr: 'A signing request (JWT) that the key of the device signed.',
  ended: 'Returns ended shares, too.',
  days: 'For how many days the token is valid.',
  tokenId: 'The id of a token or device.',
  client: 'What the device calls itself.',
  userCode: 'The eight letters that the device shows.',
  approve: 'Whether to sign the device in.',
  deviceCode: 'The secret that the device polls with.',
};
