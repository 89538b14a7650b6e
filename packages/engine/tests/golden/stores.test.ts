import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { readCar } from '../../src/archive/car.ts';
import { packArchive, readArchiveHeader } from '../../src/archive/pack.ts';
import { changesSince } from '../../src/clock/changes-since.ts';
import { sortHead } from '../../src/clock/event.ts';
import { rootOfHead } from '../../src/clock/root-of-head.ts';
import { CAR, type Cid, cidOf } from '../../src/codec/cid.ts';
import { decodeMap } from '../../src/codec/dag-cbor.ts';
import { dataKey, type Keys } from '../../src/crypto/keys.ts';
import { open, seal } from '../../src/crypto/seal.ts';
import { decodeDocument } from '../../src/documents/encode.ts';
import { GENESIS_KEY } from '../../src/documents/genesis.ts';
import { entries } from '../../src/trie/entries.ts';
import { blockstore, bytesOf, filesIn, fromHex, toHex, untag, vectors } from './vectors.fixture.ts';

interface ExpectedCar {
  file: string;
  encrypted: boolean;
  iv?: string;
  plainSize: number;
  plainSha256: string;
  carRoots: Cid[];
  header?: { cars: Cid[][]; compact: Cid[][]; meta: { head: { $cid: Cid }[] } };
  blocks: (Cid | [Cid, string])[];
}
interface Row {
  key: string;
  value: { _id: string; _deleted?: boolean };
  clock: Cid;
}
interface Expected {
  head: Cid[];
  allDocs: Row[];
  allDocsIncludeDeleted: Row[];
  changes: Row[];
}
interface Since {
  since: Cid[];
  limit?: number;
  rows: { key: string; clock: Cid }[];
}

const small = vectors<{
  expected: Expected;
  cars: ExpectedCar[];
  changesSince: Since[];
  history: { clock?: Cid[] }[];
}>('db-small/expected.json');
const plain = vectors<{ expected: Expected; cars: ExpectedCar[] }>('db-unencrypted/expected.json');
const heads = vectors<{ expected: Expected; cars: ExpectedCar[] }>('db-heads/expected.json');
const compact =
  vectors<Record<'before' | 'after1' | 'after2', { expected: Expected; cars: ExpectedCar[] }>>(
    'db-compact/expected.json',
  );

const stores = [
  ['db-small', 'db-small/store/demodb/data/', small],
  ['db-unencrypted', 'db-unencrypted/store/demoplain/data/', plain],
  ['db-heads', 'db-heads/store/demoheads/data/', heads],
  ['db-compact before', 'db-compact/0-before/store/democompact/data/', compact.before],
  ['db-compact after', 'db-compact/1-compacted/store/democompact/data/', compact.after1],
  ['db-compact again', 'db-compact/2-compacted-again/store/democompact/data/', compact.after2],
] as const;

const keys: Keys['all'] = new Map(
  ['000102030405060708090a0b0c0d0e0f', 'f0e0d0c0b0a090807060504030201000'].map((hex) => {
    const key = dataKey(fromHex(hex));
    return [key.id, key];
  }),
);
const sealingKey = dataKey(fromHex('000102030405060708090a0b0c0d0e0f'));
const plainOf = (stored: Uint8Array, { encrypted }: ExpectedCar) =>
  encrypted ? open(stored, keys) : Promise.resolve(stored);

/** Reads all blocks of a store. */
async function openStore(folder: string, cars: readonly ExpectedCar[]) {
  const store = blockstore();
  for (const car of cars) {
    const bytes = await plainOf(bytesOf(folder + car.file), car);
    store.add(
      readCar(bytes).blocks.map(({ cid, offset, length }) => ({
        cid,
        bytes: bytes.subarray(offset, offset + length),
      })),
    );
  }
  return store;
}

/**
 * Returns the value without the address of a public file, which the first implementation adds when
 * it reads the file.
 */
const asStored = (value: unknown) =>
  JSON.parse(JSON.stringify(value), (key, item) => (key === 'url' ? undefined : item)) as unknown;

describe.each(stores)('golden store %s', (_, folder, { cars, expected }) => {
  test('reads name, encryption, header and blocks of every archive, and writes an identical file', async () => {
    for (const car of cars) {
      const stored = bytesOf(folder + car.file);
      const bytes = await plainOf(stored, car);
      expect([bytes.length, createHash('sha256').update(bytes).digest('hex')]).toEqual([
        car.plainSize,
        car.plainSha256,
      ]);
      expect(cidOf(CAR, bytes)).toBe(car.file.replace('.car', ''));
      const { roots, blocks } = readCar(bytes);
      expect(roots).toEqual(car.carRoots);
      const content = ({ offset, length }: { offset: number; length: number }) =>
        bytes.subarray(offset, offset + length);
      const found = blocks.map((place, at) =>
        typeof car.blocks[at] === 'string' ? place.cid : [place.cid, toHex(content(place))],
      );
      expect(found).toEqual(car.blocks);
      if (car.encrypted) {
        expect(toHex((decodeMap(stored) as { iv: Uint8Array }).iv)).toBe(car.iv);
        expect(Buffer.from(await seal(bytes, sealingKey)).equals(stored)).toBe(true);
      }
      if (car.header === undefined) continue;
      const header = {
        cars: car.header.cars,
        compact: car.header.compact,
        head: car.header.meta.head.map(({ $cid }) => $cid),
      };
      expect(readArchiveHeader(bytes)).toEqual(header);
      const again = await packArchive(
        header,
        blocks.slice(1).map((place) => ({ cid: place.cid, bytes: content(place) })),
      );
      expect(Buffer.from(again.bytes).equals(bytes)).toBe(true);
      expect(again.blocks).toEqual(blocks);
    }
    expect(cars.map(({ file }) => file).sort()).toEqual(
      filesIn(folder)
        .filter((name) => name !== 'version')
        .sort(),
    );
  });

  test('reads the documents of its head', async () => {
    const store = await openStore(folder, cars);
    const merged = await rootOfHead(sortHead(expected.head), store);
    store.add(merged.added);
    const rows: unknown[] = [];
    if (merged.root === undefined) throw new Error('empty');
    for await (const [key, cid] of entries(store.shard, merged.root)) {
      if (key === GENESIS_KEY) continue;
      const document = decodeDocument(await store.read(cid));
      rows.push({ key, value: 'doc' in document ? document.doc : { _id: key, _deleted: true } });
    }
    expect(rows).toEqual(
      expected.allDocsIncludeDeleted.map(({ key, value }) => ({ key, value: untag(asStored(value)) })),
    );
  });

  test('lists the recorded changes, each with the recorded event', async () => {
    const { event } = await openStore(folder, cars);
    const found = await changesSince(sortHead(expected.head), [], event);
    const rows = found.map(({ key, event: clock }) => ({ key, clock: TOLD_OTHERWISE[clock] ?? clock }));
    const byKey = (a: { key: string }, b: { key: string }) => (a.key < b.key ? -1 : 1);
    expect(rows.sort(byKey)).toEqual(expected.changes.map(({ key, clock }) => ({ key, clock })).sort(byKey));
  });
});

/**
 * Two events of db-heads put the same document. The format's first implementation reports the event
 * that it read first; our engine reports the winner.
 */
const TOLD_OTHERWISE: Readonly<Record<string, string>> = {
  bafyreid4gliwrjp4ji43dnnqg5sdvmaq3ewpqygb2mzkon7philnyfzwlu:
    'bafyreib3tg7nnjpigs5qpl6mp55armmusjtlpvyxclo2rvjqdk7ytyxoxm',
};

test('golden store db-small: lists the changes since each clock in the recorded order', async () => {
  const { event } = await openStore(stores[0][1], small.cars);
  for (const { since, rows, limit } of small.changesSince) {
    const all = await changesSince(sortHead(small.expected.head), since, event);
    const found = limit === undefined ? all : all.slice(-limit);
    expect(found.map(({ key, event: clock }) => ({ key, clock }))).toEqual(
      rows.map(({ key, clock }) => ({ key, clock })),
    );
  }
  expect(small.changesSince.length).toBeGreaterThan(2);
});
