import type { MetaEntry } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { blockOf } from '../../src/codec/block.ts';
import type { Cid } from '../../src/codec/cid.ts';
import { dataKey, keyText } from '../../src/crypto/keys.ts';
import { decodeMetaEntry, encodeMetaEntry } from '../../src/sync/meta-entry.ts';
import { fromHex, vectors } from './vectors.fixture.ts';

interface EntryVector {
  readonly cars: readonly Cid[];
  readonly entry: MetaEntry;
  readonly eventBytes: string;
}
const given = vectors<{
  entries: EntryVector[];
  v2Envelope: { metas: MetaEntry[]; keys: string[] };
  v1Legacy: (MetaEntry & { key: string[] })[];
  keysUsed: { keyHex: string; key: string; fingerprint: string }[];
}>('meta.json');

describe('golden metas', () => {
  test.each(given.entries.map((one) => [one.cars.length, one.entry.parents.length, one] as const))(
    'an entry of %i archives and %i parents: its archives, its text and its CID',
    (_, __, { cars, entry, eventBytes }) => {
      expect(decodeMetaEntry(entry)).toEqual(cars);
      expect(encodeMetaEntry(cars, entry.parents as Cid[])).toEqual(entry);
      expect(blockOf(fromHex(eventBytes)).cid).toBe(entry.cid);
    },
  );

  test('envelopes of both versions name the same archives, and the keys that were used', () => {
    const archives = given.v2Envelope.metas.map(decodeMetaEntry);
    expect(archives).toEqual(given.entries.map(({ cars }) => cars));
    expect(given.v1Legacy.map(decodeMetaEntry)).toEqual([given.entries[0]?.cars]);
    const keys = given.keysUsed.map(({ keyHex }) => dataKey(fromHex(keyHex)));
    expect(keys.map(keyText)).toEqual(given.v2Envelope.keys);
    expect(keys.map(keyText)).toEqual(given.v1Legacy[0]?.key);
    expect(keys.map(({ id }) => id)).toEqual(given.keysUsed.map(({ fingerprint }) => fingerprint));
  });
});
