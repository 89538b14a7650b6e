/** Shares databases with people who have an account of the cloud, or who will create one. */
import { FixpointError } from '@fixpoint/protocol';
import type { AdminClient } from '@fixpoint/protocol/admin';
import { granted } from './granted.ts';

/** A person with whom a database is shared. */
export interface DatabaseShare {
  readonly email: string;
  readonly right: 'read' | 'write';
  /**
   * `active`: the person has the right. `invited`: they have it once they accept the invite, within
   * seven days.
   */
  readonly status: 'active' | 'invited';
}

/** A database, and the person to share it with. */
export interface NewShare {
  readonly ledgerId: string;
  /** The address with which the person signs in. */
  readonly email: string;
  readonly right: 'read' | 'write';
}

/** Manages the people with whom databases are shared. Users of an application aren't among them. */
export interface Shares {
  /**
   * Shares a database with a person, or changes their right. A member of the tenant, or a person
   * with whom it is shared, has the right at once. Anybody else receives an invite by mail. Needs
   * the right `admin`.
   * @throws FixpointError CONFLICT for an admin of the tenant, who may write in every database;
   * LIMIT_REACHED, REQUEST_INVALID
   */
  shareDatabase(share: NewShare): Promise<DatabaseShare>;
  /**
   * Lists the people with whom a database is shared, and pending invites. Admins and other members
   * of the tenant need no share, and aren't listed. Needs the right `admin`.
   */
  databaseShares(ledgerId: string): Promise<readonly DatabaseShare[]>;
  /**
   * Ends a share within five seconds, or withdraws the invite. Needs the right `admin`.
   * @throws FixpointError NOT_FOUND if the database isn't shared with this person
   */
  unshareDatabase(share: Pick<NewShare, 'ledgerId' | 'email'>): Promise<void>;
}

/** A share, or the invite that becomes one. */
interface Known extends DatabaseShare {
  /** The id of the user or, if they are invited, of the invite. */
  readonly id: string;
}

export function sharesOf(api: AdminClient, tenantId: string): Shares {
  const known = async (ledgerId: string): Promise<readonly Known[]> => {
    const { shares, tickets } = await granted(api.listShares({ tenantId, ledgerId }));
    return [
      ...shares.map(({ userId, email = '', right }) => ({
        id: userId,
        email,
        right,
        status: 'active' as const,
      })),
      ...tickets
        .filter(({ status }) => status === 'pending')
        .map(({ inviteId, query, invitee, invitedParams }) => ({
          id: inviteId,
          email: query.byEmail ?? invitee ?? '',
          right: invitedParams.ledger?.right ?? 'read',
          status: 'invited' as const,
        })),
    ];
  };
  const find = async (ledgerId: string, email: string) => {
    // Users without an address would match a blank one.
    if (email.trim() === '') throw new FixpointError('REQUEST_INVALID', 'email');
    return (await known(ledgerId)).find((one) => isSame(one.email, email));
  };
  const memberNamed = async (email: string) => {
    const tenants = await granted(api.listTenantsByUser());
    const tenant = tenants.find((one) => one.tenantId === tenantId);
    return tenant?.members?.find((one) => one.email !== undefined && isSame(one.email, email));
  };
  return {
    shareDatabase: async ({ ledgerId, email, right }) => {
      const found = await find(ledgerId, email);
      if (found?.status === 'invited') {
        const invitedParams = { ledger: { id: ledgerId, right } };
        await granted(api.inviteUser({ inviteId: found.id, query: {}, invitedParams }));
        return { email: found.email, right, status: 'invited' };
      }
      const userId = found?.id ?? (await memberNamed(email))?.userId;
      if (userId !== undefined) {
        await granted(api.shareLedger({ ledger: { tenantId, ledgerId }, userId, right }));
        return { email: found?.email ?? email, right, status: 'active' };
      }
      const ticket = { query: { byEmail: email }, invitedParams: { ledger: { id: ledgerId, right } } };
      const { query } = await granted(api.inviteUser(ticket));
      return { email: query.byEmail ?? email, right, status: 'invited' };
    },
    databaseShares: async (ledgerId) =>
      (await known(ledgerId)).map(({ email, right, status }) => ({ email, right, status })),
    unshareDatabase: async ({ ledgerId, email }) => {
      const found = await find(ledgerId, email);
      if (found === undefined) throw new FixpointError('NOT_FOUND', email);
      if (found.status === 'invited') await granted(api.deleteInvite(found.id));
      else await granted(api.unshareLedger({ ledger: { tenantId, ledgerId }, userId: found.id }));
    },
  };
}

const isSame = (a: string, b: string): boolean => a.trim().toLowerCase() === b.trim().toLowerCase();
