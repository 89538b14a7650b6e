/**
 * The record of a stored index: dag-cbor `{v, definition, head: [CID text], root, byKey, byId: CID
 * text or null, packs: [[name, bytes, live bytes], ...], usedAt}`. `definition` is everything that
 * the rows depend on besides the documents. A changed map function is a new definition, which gets
 * a new record. `usedAt` is in ms since 1970, precise to a day.
 */
import { FixpointError } from '@fixpoint/protocol';
import { type Head, sortHead } from '../clock/event.ts';
import { type Cid, parseCid } from '../codec/cid.ts';
import { asArray, asText, decodeMap, encode } from '../codec/dag-cbor.ts';
import type { PackUse } from './node-table.ts';

/** Increase this when a change of the code makes equal definitions produce other rows or nodes. */
const VERSION = 2;

export interface IndexRecord {
  readonly definition: string;
  readonly head: Head;
  /** The trie root of that head. */
  readonly root: Cid | undefined;
  readonly byKey: Cid | undefined;
  readonly byId: Cid | undefined;
  readonly packs: ReadonlyMap<string, Readonly<PackUse>>;
  readonly usedAt: number;
}

export function encodeIndexRecord(record: IndexRecord): Uint8Array {
  const { definition, head, root, byKey, byId, packs, usedAt } = record;
  return encode({
    v: VERSION,
    definition,
    head: [...head],
    root: root ?? null,
    byKey: byKey ?? null,
    byId: byId ?? null,
    packs: [...packs].map(([name, { bytes, liveBytes }]) => [name, bytes, liveBytes]),
    usedAt,
  });
}

/**
 * Returns undefined for a record of another version.
 * @throws FixpointError CORRUPT; MISSING_HEAD, MISSING_INDEXES when the record lacks its head or
 * its trees (spec §5)
 */
export function decodeIndexRecord(plain: Uint8Array): IndexRecord | undefined {
  const record = decodeMap(plain);
  if (record['v'] !== VERSION) return undefined;
  if (record['head'] === undefined) throw new FixpointError('MISSING_HEAD', 'index');
  if (record['byKey'] === undefined || record['byId'] === undefined)
    throw new FixpointError('MISSING_INDEXES');
  const cid = (value: unknown) => (value === null ? undefined : parseCid(asText(value)));
  return {
    definition: asText(record['definition']),
    head: sortHead(asArray(record['head']).map((text) => parseCid(asText(text)))),
    root: cid(record['root']),
    byKey: cid(record['byKey']),
    byId: cid(record['byId']),
    packs: new Map(
      asArray(record['packs']).map((entry) => {
        const [name, bytes, liveBytes] = asArray(entry);
        return [asText(name), { bytes: asCount(bytes), liveBytes: asCount(liveBytes) }];
      }),
    ),
    usedAt: asCount(record['usedAt']),
  };
}

function asCount(value: unknown): number {
  if (typeof value !== 'number') throw new FixpointError('CORRUPT', 'expected a number');
  return value;
}
