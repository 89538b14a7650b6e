/**
 * What is known of a stored index: dag-cbor `{v, definition, head: [CID text], byKey, byId: CID text or null, packs: [[name, bytes, live
 * bytes], ...], usedAt}`. `definition` is all that the rows depend on beside the documents: an index whose map function was changed has
 * another one, and so another record. `usedAt` in ms since 1970, precise to a day.
 */
import { FixpointError } from '@fixpoint/protocol';
import { type Head, sortHead } from '../clock/event.ts';
import { type Cid, parseCid } from '../codec/cid.ts';
import { asArray, asText, decodeMap, encode } from '../codec/dag-cbor.ts';
import type { PackUse } from './node-table.ts';

/** Changes whenever equal definitions give other rows or nodes than before. */
const VERSION = 1;

export interface IndexRecord {
  readonly definition: string;
  readonly head: Head;
  readonly byKey: Cid | undefined;
  readonly byId: Cid | undefined;
  readonly packs: ReadonlyMap<string, Readonly<PackUse>>;
  readonly usedAt: number;
}

export function encodeIndexRecord({ definition, head, byKey, byId, packs, usedAt }: IndexRecord): Uint8Array {
  return encode({
    v: VERSION,
    definition,
    head: [...head],
    byKey: byKey ?? null,
    byId: byId ?? null,
    packs: [...packs].map(([name, { bytes, liveBytes }]) => [name, bytes, liveBytes]),
    usedAt,
  });
}

/** Undefined for a record of another version. @throws FixpointError CORRUPT */
export function decodeIndexRecord(plain: Uint8Array): IndexRecord | undefined {
  const record = decodeMap(plain);
  if (record['v'] !== VERSION) return undefined;
  const root = (value: unknown) => (value === null ? undefined : parseCid(asText(value)));
  return {
    definition: asText(record['definition']),
    head: sortHead(asArray(record['head']).map((cid) => parseCid(asText(cid)))),
    byKey: root(record['byKey']),
    byId: root(record['byId']),
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
