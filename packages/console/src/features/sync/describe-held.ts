/** Describes a ledger's contents, claiming no more than is known. */
import type { LedgerHoldings } from 'fixpoint';
import { bytesText } from '../../values/bytes-text.ts';

const counted = (count: number, one: string, many: string): string =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${many}`;

/** Returns what only this device has, and what only the server has. */
export function besideText({ missing, unread, unsent, entries, absent }: LedgerHoldings): string {
  if (absent > 0)
    return `The server lost ${counted(absent, 'archive', 'archives')} that it needs. A device that has the documents in them sends them again when it is online.`;
  if (missing.length > 0)
    return `The server has ${counted(missing.length, 'head', 'heads')} that this device does not have yet. Until they are here, it cannot be told which of your commits they follow.`;
  if (unread > 0)
    return `What ${counted(unread, 'writing session', 'writing sessions')} left at the server cannot be read here, so it cannot be told whether all of your commits are there.`;
  if (unsent === undefined || unsent === 0)
    return entries === 0
      ? 'The server has nothing yet, and neither have you.'
      : 'The server has all that you have, and you have all that it has.';
  const yours = `${counted(unsent, 'commit that is', 'commits that are')} not there yet`;
  return entries === 0
    ? `The server has nothing yet. You have ${yours}.`
    : `You have all that the server has, and ${yours}.`;
}

export function archivesText({ archives, replaced }: LedgerHoldings): string {
  const kept =
    replaced === 0 ? '' : `, and ${counted(replaced, 'older one', 'older ones')} that they replace`;
  return `${archives.toLocaleString('en')}${kept}`;
}

export function sizeText({ archives, bytes, unsized }: LedgerHoldings): string {
  if (archives === 0) return 'nothing';
  if (unsized === archives) return 'not known here';
  return unsized === 0
    ? `${bytesText(bytes)} in all`
    : `${bytesText(bytes)}, and ${unsized.toLocaleString('en')} of a size that is not known here`;
}
