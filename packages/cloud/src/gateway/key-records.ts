/** Records in the list of keys of a sealed ledger: whose they are, and whether a follower has been told of them all. The gateway can read none of them. */
import { createHash } from 'node:crypto';
import type { LedgerRights } from '../rights/rights.ts';
import type { LedgerId, MetaPage } from '../tables/metas.ts';

/** Records of users who may no longer use the ledger: its devices then take the key from theirs. */
export async function recordsOfRemoved(
  rights: LedgerRights,
  { tenant, ledger }: LedgerId,
  { recordsOf }: Pick<MetaPage, 'recordsOf'>,
): Promise<readonly string[]> {
  const removed: string[] = [];
  for (const [userId, records] of recordsOf)
    if ((await rights.accessTo(userId, tenant, ledger)) === 'none') removed.push(...records);
  return removed.sort();
}

const MARK = 'S1.';
/** The map `{t: 'device', pub: 65 bytes}`, up to these bytes. */
const DEVICE = Buffer.concat([
  Buffer.from([0xa2, 0x61, 0x74, 0x66]),
  Buffer.from('device'),
  Buffer.from([0x63]),
  Buffer.from('pub'),
  Buffer.from([0x58, 0x41]),
]);
const PUBLIC_BYTES = 65;

/** Whether this is the record of a device that asks to be let in: it gives nobody anything. */
export function isDeviceRecord(text: string): boolean {
  const bytes = text.startsWith(MARK) ? Buffer.from(text.slice(MARK.length), 'base64url') : Buffer.alloc(0);
  return (
    bytes.length === DEVICE.length + PUBLIC_BYTES &&
    bytes.subarray(0, DEVICE.length).equals(DEVICE) &&
    MARK + bytes.toString('base64url') === text
  );
}

/** A short text that is another one when a sealed ledger's records are others, or belong to others; empty for other ledgers. */
export function keysMark(
  { kind, keys }: Pick<MetaPage, 'kind' | 'keys'>,
  removed: readonly string[],
): string {
  if (kind !== 'sealed') return '';
  return createHash('sha256')
    .update(JSON.stringify([keys, removed]))
    .digest('base64url');
}
