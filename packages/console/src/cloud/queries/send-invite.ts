/** Sends invites by mail: to a tenant, to one ledger, or again. */
import type { AdminClient, Invite, Query, Right } from '@fixpoint/protocol/admin';

/** Invites a person to a tenant, always as an admin (spec §6). */
export const inviteToTenant = (api: AdminClient, tenantId: string, query: Query) =>
  api.inviteUser({ query, invitedParams: { tenant: { id: tenantId, role: 'admin' } } });

/** Invites a person to one ledger, as a member with this right. */
export const inviteToLedger = (api: AdminClient, ledgerId: string, query: Query, right: Right) =>
  api.inviteUser({ query, invitedParams: { ledger: { id: ledgerId, role: 'member', right } } });

/** Sends a pending invite again, unchanged. */
export const resendInvite = (api: AdminClient, tenantId: string, { inviteId, invitedParams }: Invite) =>
  api.inviteUser({
    inviteId,
    incSendEmailCount: true,
    query: {},
    invitedParams: invitedParams.ledger
      ? { ledger: { id: invitedParams.ledger.id } }
      : { tenant: { id: tenantId } },
  });
