/** Records in the list of keys of a sealed ledger: whose they are, and whether a follower has been told of them all. The gateway can read none of them. */
import { createHash } from 'node:crypto';
import type { LedgerRights } from '../rights/rights.ts';
import type { LedgerId, MetaPage } from '../tables/metas.ts';
import { bytesAt } from './cbor-bytes.ts';

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

/** What the gateway can tell of a record. Public keys are hex text. */
export type ReadRecord =
  /** A device asks to be let in. */
  | { readonly is: 'device'; readonly pub: string }
  /** A key is given to a device. */
  | { readonly is: 'grant'; readonly pub: string }
  /** A key is given to who has a recovery code. */
  | { readonly is: 'recovery'; readonly pub: string };

/** Undefined for other records, and for whatever has another form than devices give it. */
export function readRecord(text: string): ReadRecord | undefined {
  const bytes = text.startsWith(MARK) ? Buffer.from(text.slice(MARK.length), 'base64url') : Buffer.alloc(0);
  if (MARK + bytes.toString('base64url') !== text) return undefined;
  if (bytes.length === DEVICE.length + PUBLIC_BYTES && bytes.subarray(0, DEVICE.length).equals(DEVICE))
    return { is: 'device', pub: bytes.subarray(DEVICE.length).toString('hex') };
  return readGrant(bytes);
}

/** Fields of a grant, in their order. */
const GRANT_FIELDS = ['box', 'eph', 'key', 'pub', 'proof', 'locked'];

/** What is read counts only when the same bytes can be made of it: devices must find no other meaning in them. */
function readGrant(bytes: Buffer): ReadRecord | undefined {
  const fields = GRANT_FIELDS.flatMap((name) => {
    const value = bytesAt(bytes, [name]);
    return value === undefined ? [] : [{ name, value }];
  });
  const pub = fields.find(({ name }) => name === 'pub')?.value;
  const written = Buffer.concat([
    Buffer.from([0xa1 + fields.length]),
    cborText('t'),
    cborText('grant'),
    ...fields.flatMap(({ name, value }) => [cborText(name), cborBytes(value)]),
  ]);
  if (pub?.length !== PUBLIC_BYTES || !written.equals(bytes)) return undefined;
  const isRecovery = fields.some(({ name }) => name === 'locked');
  return { is: isRecovery ? 'recovery' : 'grant', pub: pub.toString('hex') };
}

const cborText = (text: string): Buffer =>
  Buffer.concat([Buffer.from([0x60 + text.length]), Buffer.from(text)]);

function cborBytes(value: Buffer): Buffer {
  const { length } = value;
  const head =
    length < 24 ? [0x40 + length] : length < 256 ? [0x58, length] : [0x59, length >> 8, length & 255];
  return Buffer.concat([Buffer.from(head), value]);
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

/** A list of keys that is not longer goes out with each event, as existing clients know it. */
const REPEATED_CHARS_MAX = 8192;

/** A short text that is another one when a long list of keys is another one; empty for a short list. */
export function listMark(keys: readonly string[]): string {
  let chars = 0;
  for (const { length } of keys) chars += length;
  if (chars <= REPEATED_CHARS_MAX) return '';
  return createHash('sha256').update(JSON.stringify(keys)).digest('base64url');
}
