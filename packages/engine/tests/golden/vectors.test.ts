import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { readCar } from '../../src/archive/car.ts';
import { packArchive, readArchiveHeader } from '../../src/archive/pack.ts';
import { advance } from '../../src/clock/advance.ts';
import { decodeEvent, encodeEvent } from '../../src/clock/event.ts';
import { genesisOf } from '../../src/clock/genesis.ts';
import { rootOfHead } from '../../src/clock/root-of-head.ts';
import { blockOf } from '../../src/codec/block.ts';
import { CAR, type Cid, cidOf, parseCid } from '../../src/codec/cid.ts';
import { dataKey, keyText } from '../../src/crypto/keys.ts';
import { open, seal } from '../../src/crypto/seal.ts';
import { parseDocKey } from '../../src/documents/doc-key.ts';
import { encodeDocument } from '../../src/documents/encode.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../../src/documents/genesis.ts';
import { entries } from '../../src/trie/entries.ts';
import { putMany } from '../../src/trie/put-many.ts';
import { blockstore, fromHex, toHex, vectorFile, vectors } from './vectors.fixture.ts';

interface PailCase {
  name: string;
  ops: { key: string; value?: Cid; op?: string; root?: Cid }[];
  root: Cid;
  entries?: [string, Cid][];
}
interface MergeCase {
  name: string;
  final: { head: Cid[]; root: Cid };
  eventBlocks: Record<Cid, string>;
}

const pail = vectors<{ cases: PailCase[] }>('pail.json').cases.filter(
  ({ name }) => !name.startsWith('delete'),
);
const merges = vectors<{ cases: MergeCase[] }>('merge.json').cases;

/** All blocks of a case: events as given, shards as an independent replay makes them. */
async function replay({ eventBlocks }: MergeCase) {
  const store = blockstore();
  store.add(Object.values(eventBlocks).map((hex) => blockOf(fromHex(hex))));
  const done = new Set<Cid>();
  const mismatches: Cid[] = [];
  const visit = async (cid: Cid): Promise<void> => {
    if (done.has(cid)) return;
    done.add(cid);
    const { parents, operations, root } = await store.event(cid);
    for (const parent of parents) await visit(parent);
    const before = await rootOfHead([...parents].sort(), store);
    store.add(before?.added ?? []);
    const after = await putMany(
      store.shard,
      before?.root,
      operations.map(({ key, value }) => [key, value]),
    );
    store.add(after.added);
    if (after.root !== root) mismatches.push(cid);
  };
  for (const cid of [...store.byCid.keys()]) await visit(cid);
  return { store, mismatches };
}

describe('golden data of the sync format', () => {
  test.each(pail.map((given) => [given.name, given] as const))('trie %s: every root', async (_, given) => {
    const store = blockstore();
    let root: Cid | undefined;
    const wrong: unknown[] = [];
    for (const { key, value, root: expected } of given.ops) {
      const step = await putMany(store.shard, root, value === undefined ? [] : [[key, value]]);
      store.add(step.added);
      root = step.root;
      if (expected !== undefined && root !== expected) wrong.push({ key, root, expected });
    }
    expect(wrong).toEqual([]);
    expect(root).toBe(given.root);
    if (given.entries === undefined || root === undefined) return;
    const listed: unknown[] = [];
    for await (const entry of entries(store.shard, root)) listed.push(entry);
    expect(listed).toEqual(given.entries);
  });

  test.each(pail.map((given) => [given.name, given] as const))(
    '[R7] trie %s: one step for all puts gives the same root',
    async (_, given) => {
      const store = blockstore();
      const puts = given.ops.flatMap(({ key, value }) =>
        value === undefined ? [] : [[key, value] as const],
      );
      expect((await putMany(store.shard, undefined, puts)).root).toBe(given.root);
    },
  );

  test.each(merges.map((given) => [given.name, given] as const))(
    '[P1] clock %s: every root and the final one',
    async (_, given) => {
      const { store, mismatches } = await replay(given);
      expect(mismatches).toEqual([]);
      expect((await rootOfHead(given.final.head, store))?.root).toBe(given.final.root);
      expect((await rootOfHead([...given.final.head].reverse(), store))?.root).toBe(given.final.root);
    },
  );

  test('advance: every new head', async () => {
    const wrong: unknown[] = [];
    const given = vectors<{ vectors: { case: number; head: Cid[]; event: Cid; result: Cid[] }[] }>(
      'advance.json',
    );
    const stores = merges.map(({ eventBlocks }) => {
      const store = blockstore();
      store.add(Object.values(eventBlocks).map((hex) => blockOf(fromHex(hex))));
      return store;
    });
    for (const { case: index, head, event, result } of given.vectors) {
      const store = stores[index];
      const found = store && (await advance(head, event, store.event));
      if (JSON.stringify([...(found ?? [])].sort()) !== JSON.stringify([...result].sort()))
        wrong.push({ index, head, event, found });
    }
    expect(given.vectors.length).toBeGreaterThan(50);
    expect(wrong).toEqual([]);
  });

  test('events: bytes and CID of puts and batches', () => {
    const given = vectors<{ events: { name: string; cid: Cid; bytes: string; data: { type?: string } }[] }>(
      'events.json',
    );
    const writable = given.events.filter(
      ({ name, data }) => data.type === 'put' || (data.type === 'batch' && name !== 'batch-1'),
    );
    for (const { cid, bytes } of writable) {
      const again = encodeEvent(decodeEvent(fromHex(bytes)));
      expect(toHex(again.bytes)).toBe(bytes);
      expect(again.cid).toBe(cid);
    }
    expect(writable.length).toBeGreaterThan(3);
  });

  test('the genesis commit is the one that every database has', () => {
    const genesis = genesisOf(GENESIS_KEY, GENESIS_DOCUMENT);
    expect(genesis.head).toEqual(['bafyreiblui55o25dopc5faol3umsnuohb5carto7tot4kicnkfc37he4h4']);
    expect(genesis.root).toBe('bafyreiejg3twlaxr7gfvvhtxrhvwaydytdv4guidmtvaz5dskm6gp73ryi');
    const archive = packArchive({ cars: [], compact: [], head: genesis.head }, genesis.blocks);
    expect(archive.cid).toBe('baembeig2is4vdgz4gyiadfh5uutxxeiuqtacnesnytrnilpwcu7q5m5tmu');
  });

  test('sealing: IV, cipher text, envelope, key id and CID', async () => {
    const given = vectors<{
      vectors: {
        keyHex: string;
        keyBase58btc: string;
        fingerprint: string;
        plain: string;
        encoded: string;
        cid: Cid;
      }[];
    }>('crypto.json');
    for (const { keyHex, keyBase58btc, fingerprint, plain, encoded, cid } of given.vectors) {
      const key = dataKey(fromHex(keyHex));
      expect([keyText(key), key.id, cidOf(CAR, fromHex(plain))]).toEqual([keyBase58btc, fingerprint, cid]);
      const sealed = await seal(fromHex(plain), key);
      expect(toHex(sealed)).toBe(encoded);
      expect(toHex(await open(sealed, new Map([[key.id, key]])))).toBe(plain);
    }
  });

  test('documents without special values: bytes and CID', () => {
    const given = vectors<{
      vectors: { name: string; id: string; input?: Record<string, unknown>; cid?: Cid; bytes?: string }[];
    }>('docs.json');
    const plain = given.vectors.filter(
      ({ name, id, input, cid }) =>
        cid &&
        input &&
        typeof id === 'string' &&
        id !== '' &&
        name !== 'surrogate' &&
        !JSON.stringify(input).includes('"$'),
    );
    for (const { name, id, input, cid, bytes } of plain) {
      if ('_files' in (input ?? {}) || '_publicFiles' in (input ?? {})) continue;
      const block = encodeDocument(input ?? {}, parseDocKey(id));
      expect([name, block.cid, toHex(block.bytes)]).toEqual([name, cid, bytes]);
    }
    expect(plain.length).toBeGreaterThan(10);
  });

  test('a store of the format: every archive opens, is named by its content and has a header', async () => {
    const key = dataKey(fromHex('000102030405060708090a0b0c0d0e0f'));
    const folder = vectorFile('db-small/store/demodb/data/');
    const names = readdirSync(folder).filter((name) => name.endsWith('.car'));
    for (const name of names) {
      const plain = await open(
        Uint8Array.from(readFileSync(new URL(name, folder))),
        new Map([[key.id, key]]),
      );
      expect(cidOf(CAR, plain)).toBe(name.slice(0, -'.car'.length));
      const { blocks } = readCar(plain);
      for (const { cid, offset, length } of blocks)
        expect(blockOf(plain.subarray(offset, offset + length)).cid).toBe(parseCid(cid));
      const header = readArchiveHeader(plain);
      const again = packArchive(
        header,
        blocks
          .slice(1)
          .map(({ cid, offset, length }) => ({ cid, bytes: plain.subarray(offset, offset + length) })),
      );
      expect(again.cid).toBe(cidOf(CAR, plain));
    }
    expect(names.length).toBeGreaterThan(5);
  });
});
