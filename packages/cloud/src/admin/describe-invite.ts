import type { Invite, Right, Role } from '@fixpoint/protocol/admin';
import type { InviteTicket } from '../tables/schema.ts';

/** What an invite gives; stored as JSON. */
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
