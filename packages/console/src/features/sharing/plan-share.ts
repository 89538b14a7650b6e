import type { Answer, Member } from '@fixpoint/protocol/admin';
import { isEmail } from '../members/email.ts';

export type Shares = Answer<'reqListShares'>;

/**
 * Describes how a ledger is shared: a right for a member, an invite to the owner of an address, or
 * the reason why sharing is impossible.
 */
export type SharePlan =
  | { readonly userId: string }
  | { readonly byEmail: string }
  | { readonly problem: string };

/** Returns how many of the ledger's shares are used; pending invites count. */
export const sharesTaken = ({ shares, tickets }: Shares): number =>
  shares.length + tickets.filter(({ status }) => status === 'pending').length;

/** Returns how to share with a typed address, or what the user can do instead. */
export function planShare(typed: string, members: readonly Member[], given: Shares): SharePlan {
  const email = typed.trim();
  if (!isEmail(email)) return { problem: 'Enter a complete email address, such as name@example.com.' };
  const isTyped = (other: string | undefined) => other?.toLowerCase() === email.toLowerCase();
  if (given.shares.some((share) => isTyped(share.email)))
    return { problem: `${email} already has access. You can change their access in the list of people.` };
  const member = members.find((one) => isTyped(one.email));
  if (member?.role === 'admin')
    return { problem: `${email} is an admin of the tenant, and has access to all its databases.` };
  if (given.tickets.some(({ status, query }) => status === 'pending' && isTyped(query.byEmail)))
    return {
      problem: `${email} is already invited. To change the access, remove the invitation first.`,
    };
  if (sharesTaken(given) >= given.maxShares)
    return {
      problem: `Already shared with ${given.maxShares} people. Revoke one person’s access first.`,
    };
  return member === undefined ? { byEmail: email } : { userId: member.userId };
}
