/** Describes a ledger's contents, claiming no more than is known. */
import type { LedgerHoldings } from 'fixpoint';
import { bytesText } from '../../values/bytes-text.ts';

const counted = (count: number, one: string, many: string): string =>
  count === 1 ? `1 ${one}` : `${count.toLocaleString('en')} ${many}`;

/** Describes the data that only this device or only the server has. */
export function besideText({ missing, unread, unsent, entries, absent }: LedgerHoldings): string {
  if (absent > 0)
    return `The server lost ${counted(absent, 'archive', 'archives')} of this database. A device that still has this data will send it again when it’s online.`;
  if (missing.length > 0)
    return `The server has ${counted(missing.length, 'version', 'versions')} that this device hasn’t fetched yet, so it’s unknown which of your changes the server has.`;
  if (unread > 0)
    return `This device can’t read what ${counted(unread, 'writing session', 'writing sessions')} sent to the server, so it’s unknown whether the server has all of your changes.`;
  if (unsent === undefined || unsent === 0)
    return entries === 0
      ? 'Neither the server nor this device has any data yet.'
      : 'The server and this device have the same data.';
  const yours = counted(
    unsent,
    'change that the server doesn’t have',
    'changes that the server doesn’t have',
  );
  return entries === 0
    ? `The server has no data yet. This device has ${yours}.`
    : `This device has everything that the server has, and ${yours}.`;
}

export function archivesText({ archives, replaced }: LedgerHoldings): string {
  const kept =
    replaced === 0 ? '' : `, and ${counted(replaced, 'older one', 'older ones')} that they replace`;
  return `${archives.toLocaleString('en')}${kept}`;
}

export function sizeText({ archives, bytes, unsized }: LedgerHoldings): string {
  if (archives === 0) return 'Nothing';
  if (unsized === archives) return 'Unknown';
  return unsized === 0
    ? `${bytesText(bytes)} in total`
    : `${bytesText(bytes)}, and ${unsized.toLocaleString('en')} of unknown size`;
}
