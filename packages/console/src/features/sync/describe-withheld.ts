/** Describes entries of a ledger that don't sync. */
import type { Member } from '@fixpoint/protocol/admin';
import type { WithheldEntry } from 'fixpoint';
import { timeOf } from '../../ui/text/moment.ts';

const ID_CHARS = 8;

export const entryName = ({ cid, why }: Pick<WithheldEntry, 'cid' | 'why'>): string =>
  why === 'files' ? 'Files' : cid === '' ? 'Entry without an id' : `Entry …${cid.slice(-ID_CHARS)}`;

/** Returns the name of an entry for use within a sentence. */
export const entryInText = (entry: WithheldEntry): string => entryName(entry).replace(/^E/, 'e');

const countOf = (objects: number): string => `${objects} ${objects === 1 ? 'object' : 'objects'}`;

/** Returns the problem and, if known, the next step. */
export function problemText({ why, objects = [] }: WithheldEntry): string {
  switch (why) {
    case 'malformed':
      return 'Damaged: no device can read this entry.';
    case 'unreadable':
      return 'Damaged: this device can’t read this entry.';
    case 'absent':
      return `The server lost ${countOf(objects.length)} that this entry needs. A device that has the data will send it again when it’s online.`;
    case 'files':
      return `The server lost data of attached files (${countOf(objects.length)}). A device that has the data will send it again when it’s online.`;
    default:
      return 'The server doesn’t list this entry.';
  }
}

/**
 * Returns who wrote an entry, and when.
 * @param isAdmin only admins see the author
 * @param members people whose ids are shown as names
 */
export function originText(
  { why, author, since }: WithheldEntry,
  members: readonly Member[],
  isAdmin: boolean,
): string | undefined {
  if (why === 'files') return undefined;
  const member = members.find(({ userId }) => userId === author);
  const who =
    member?.email ?? member?.name ?? (author === undefined ? 'unknown' : `unknown (user ${author})`);
  const parts = [
    isAdmin && `Author: ${who}`,
    since !== undefined && `received ${timeOf(new Date(since).toISOString())}`,
  ].filter((part) => part !== false);
  const text = parts.join(', ');
  return text === '' ? undefined : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

export const removalText = ({ why }: WithheldEntry): string =>
  why === 'absent'
    ? 'The entry is removed for everybody, and changes that only this entry contains are lost. If a device may still have the missing data, open the database on that device first.'
    : 'The entry is removed for everybody. Documents stay as they are, and this can’t be undone.';
