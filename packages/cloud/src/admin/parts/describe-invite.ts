import type { Invite, Right, Role } from '@fixpoint/protocol/admin';
import { addressesOfActive } from '../../tables/accounts/user-rows.ts';
import type { Connection } from '../../tables/connection.ts';
import { getLedger } from '../../tables/ledgers/ledger-rows.ts';
import type { InviteTicket } from '../../tables/schema.ts';
import { getTenant } from '../../tables/tenants/tenant-rows.ts';

/** The membership or right that an invite grants, stored as JSON. */
export type InvitedParams =
  | { readonly tenant: { readonly id: string; readonly role: Role } }
  | { readonly ledger: { readonly id: string; readonly role: Role; readonly right: Right } };

export const readParams = ({ invitedParams }: InviteTicket) => JSON.parse(invitedParams) as InvitedParams;

export function describeInvite(ticket: InviteTicket): Invite {
  const { invitedUserId, queryEmail } = ticket;
  return {
    inviteId: ticket.inviteId,
    inviterUserId: ticket.inviterUserId,
    ...(invitedUserId !== null && { invitedUserId }),
    query: {
      ...(queryEmail !== null && { byEmail: queryEmail }),
      ...(invitedUserId !== null && { existingUserId: invitedUserId }),
    },
    invitedParams: { ...readParams(ticket) },
    sendEmailCount: ticket.sendEmailCount,
    status: ticket.status,
    statusReason: ticket.statusReason,
    expiresAfter: ticket.expiresAfter,
    createdAt: ticket.createdAt,
    updatedAt: ticket.updatedAt,
  };
}

/**
 * Returns invites as the admins of their tenant see them. Adds the addresses of users who were
 * invited by id.
 */
export async function describeToAdmins(db: Connection, tickets: readonly InviteTicket[]): Promise<Invite[]> {
  const byId = tickets.filter(({ queryEmail }) => queryEmail === null);
  const addresses = await addressesOfActive(
    db,
    byId.flatMap(({ invitedUserId }) => invitedUserId ?? []),
  );
  return tickets.map((ticket) => {
    const invitee = ticket.queryEmail === null ? addresses.get(ticket.invitedUserId ?? '') : undefined;
    return { ...describeInvite(ticket), ...(invitee !== undefined && { invitee }) };
  });
}

/**
 * Returns the tenant or ledger of an invite, with its name, and the role or right that the invite
 * grants. Returns undefined when the tenant or ledger was deleted.
 */
export async function describeGift(db: Connection, invite: InviteTicket) {
  const params = readParams(invite);
  if ('tenant' in params) {
    const tenant = await getTenant(db, params.tenant.id);
    return tenant && ({ kind: 'tenant', place: tenant.name, may: params.tenant.role } as const);
  }
  const ledger = await getLedger(db, params.ledger.id);
  return ledger && ({ kind: 'ledger', place: ledger.name, may: params.ledger.right } as const);
}
