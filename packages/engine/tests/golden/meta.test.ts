import type { MetaEntry } from '@fixpoint/protocol/storage';
import { describe, expect, test } from 'vitest';
import { blockOf } from '../../src/codec/block.ts';
import type { Cid } from '../../src/codec/cid.ts';
import { dataKey, keyText } from '../../src/crypto/keys.ts';
import { keyRecord, parseKeyRecord } from '../../src/existing/existing-keys.ts';
import { EMPTY_QUEUE, EXISTING_FILES_VERSION } from '../../src/existing/layout.ts';
import { decodeMetaEntry, encodeMetaEntry } from '../../src/sync/ledger/meta-entry-codec.ts';
import { bytesOf, filesBelow, fromHex, vectors } from './vectors.fixture.ts';

interface EntryVector {
  readonly cars: readonly Cid[];
  readonly entry: MetaEntry;
  readonly eventBytes: string;
}
type KeyRecord = { readonly id: string };
const given = vectors<{
  entries: EntryVector[];
  v2Envelope: { metas: MetaEntry[]; keys: string[] };
  v1Legacy: (MetaEntry & { key: string[] })[];
  keybagFile: KeyRecord;
  keysUsed: { keyHex: string; key: string; fingerprint: string }[];
}>('meta.json');

describe('golden metas', () => {
  test.each(given.entries.map((one) => [one.cars.length, one.entry.parents.length, one] as const))(
    'reads archives, text and CID of an entry of %i archives and %i parents',
    (_, __, { cars, entry, eventBytes }) => {
      expect(decodeMetaEntry(entry)).toEqual({ group: cars, head: [] });
      expect(encodeMetaEntry(cars, entry.parents as Cid[])).toEqual(entry);
      expect(blockOf(fromHex(eventBytes)).cid).toBe(entry.cid);
    },
  );

  test('reads equal archives and keys from envelopes of both versions', () => {
    const archives = given.v2Envelope.metas.map((entry) => decodeMetaEntry(entry).group);
    expect(archives).toEqual(given.entries.map(({ cars }) => cars));
    expect(given.v1Legacy.map((entry) => decodeMetaEntry(entry).group)).toEqual([given.entries[0]?.cars]);
    const keys = given.keysUsed.map(({ keyHex }) => dataKey(fromHex(keyHex)));
    expect(keys.map(keyText)).toEqual(given.v2Envelope.keys);
    expect(keys.map(keyText)).toEqual(given.v1Legacy[0]?.key);
    expect(keys.map(({ id }) => id)).toEqual(given.keysUsed.map(({ fingerprint }) => fingerprint));
  });

  const text = (path: string) => Buffer.from(bytesOf(path)).toString('utf8');

  test('writes a key record unchanged', () => {
    const bags = filesBelow('').filter((path) => path.includes('/keybag/'));
    const records = [given.keybagFile, ...bags.map((path) => JSON.parse(text(path)) as KeyRecord)];
    for (const record of records) {
      const [current, ...others] = parseKeyRecord(record, record.id);
      if (current === undefined) throw new Error('no key');
      const all = new Map([current, ...others].map((key) => [key.id, key]));
      expect(keyRecord(record.id, { current, all })).toEqual(record);
    }
    expect(records.length).toBeGreaterThan(40);
  });

  test('writes the metas and queues of all golden stores unchanged', () => {
    const stores = filesBelow('').filter((path) => /\/(meta|wal)\/main\.json$|\/version$/.test(path));
    for (const path of stores) {
      if (path.endsWith('/version')) expect(text(path)).toBe(EXISTING_FILES_VERSION);
      else if (path.includes('/wal/'))
        expect(Object.keys(JSON.parse(text(path)))).toEqual(Object.keys(EMPTY_QUEUE));
      else {
        const [entry] = JSON.parse(text(path)) as [MetaEntry];
        const { cid, parents, data } = encodeMetaEntry(decodeMetaEntry(entry).group, entry.parents as Cid[]);
        expect(JSON.stringify([{ cid, parents, data }])).toBe(text(path));
      }
    }
    expect(stores.length).toBeGreaterThan(40);
  });
});
