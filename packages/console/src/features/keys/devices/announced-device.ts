/** Describes who announced a device of a sealed ledger, and when, as far as the server says. */
import type { Member } from '@fixpoint/protocol/admin';
import { dayOf } from '../../../ui/text/moment.ts';

/** Describes a device's announcement; older servers send none of these fields. */
export interface Announced {
  /** The user's id. */
  readonly owner?: string | undefined;
  readonly isOwn?: boolean | undefined;
  /** In ms since 1970. */
  readonly since?: number | undefined;
  /** The owner's name in the signed list of members, and who added the device to it. */
  readonly name?: string | undefined;
  readonly approvedBy?: string | undefined;
  /** When this device last heard of it, in ms since 1970. */
  readonly heardAt?: number | undefined;
}

/**
 * Returns who announced a device and when; undefined when nothing is known.
 * @param members people whose ids are shown as names, as far as this user may see them
 */
export function announcedText(
  { owner, isOwn = false, since, name, approvedBy, heardAt }: Announced,
  members: readonly Member[],
): string | undefined {
  const member = members.find(({ userId }) => userId === owner);
  const who = isOwn
    ? 'yours'
    : owner === undefined
      ? undefined
      : `of ${name ?? member?.email ?? member?.name ?? owner}`;
  const when = since === undefined ? undefined : `since ${dayOf(new Date(since).toISOString())}`;
  const by = approvedBy === undefined ? undefined : `added by ${approvedBy}`;
  const parts = [who, when, by, lastSeenText(heardAt)].filter((part) => part !== undefined);
  return parts.length === 0 ? undefined : parts.join(', ');
}

/** Returns when a member or a device was heard last; undefined if it never was. */
export const lastSeenText = (heardAt: number | undefined): string | undefined =>
  heardAt === undefined ? undefined : `last seen ${dayOf(new Date(heardAt).toISOString())}`;
