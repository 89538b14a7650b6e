import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { readCar } from '../../src/archive/car.ts';
import { packArchive, readArchiveHeader } from '../../src/archive/pack.ts';
import { mergeHeads } from '../../src/clock/advance.ts';
import { changesSince } from '../../src/clock/changes-since.ts';
import { encodeEvent, type Head, sortHead } from '../../src/clock/event.ts';
import { genesisOf } from '../../src/clock/genesis.ts';
import { rootOfHead } from '../../src/clock/root-of-head.ts';
import { CAR, type Cid, cidOf } from '../../src/codec/cid.ts';
import { dataKey, type Keys } from '../../src/crypto/keys.ts';
import { open, seal } from '../../src/crypto/seal.ts';
import { parseDocKey } from '../../src/documents/doc-key.ts';
import { decodeDocument, encodeDocument, TOMBSTONE } from '../../src/documents/encode.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../../src/documents/genesis.ts';
import { decodeMetaEntry, encodeMetaEntry } from '../../src/sync/ledger/meta-entry-codec.ts';
import { entries } from '../../src/trie/entries.ts';
import { putMany } from '../../src/trie/put-many.ts';
import { blockstore, bytesOf, filesIn, fromHex, vectors } from './vectors.fixture.ts';

type Replica = 'A' | 'B';
interface Step {
  readonly replica: Replica;
  readonly mode: 'local' | 'attach';
  readonly ops: readonly (readonly ['put', string, string] | readonly ['del', string])[];
  readonly result: {
    readonly head: readonly Cid[];
    readonly changes: readonly (readonly [string, Cid])[];
    readonly rows: readonly (readonly [string, string | null])[];
  };
}
const given = vectors<{
  steps: Step[];
  remoteCars: { file: string; plainSize: number; plainSha256: string }[];
}>('sync/expected.json');

/** Each replica encrypts with its own key, and also has the other replica's key. */
const KEYS = ['000102030405060708090a0b0c0d0e0f', 'f0e0d0c0b0a090807060504030201000'].map((hex) =>
  dataKey(fromHex(hex)),
);
const all: Keys['all'] = new Map(KEYS.map((key) => [key.id, key]));
const FOLDERS = ['sync/A/store/demosync/', 'sync/B/store/demosync/', 'sync/remote/rem/'];

/**
 * For two concurrent events that write the same document, the format's first implementation reports
 * the event that it read first; our engine reports the winner.
 */
const TOLD_OTHERWISE: Readonly<Record<string, string>> = {
  bafyreibvsjp6v4a2w2cbvub5o5vvsy4xsf6d4jp3nwlomc5xxem7zxxdbu:
    'bafyreicepdbi65pmxrwzantim6yhrsb7z2uoz2e7ftsygvxqtseguv34r4',
};

test('golden sync: gives both replicas the same events, heads, documents and changes', async () => {
  const store = blockstore();
  const genesis = genesisOf(GENESIS_KEY, GENESIS_DOCUMENT);
  store.add([...genesis.blocks, TOMBSTONE]);
  const heads: Record<Replica, Head> = { A: genesis.head, B: genesis.head };
  let remote: Head = genesis.head;
  for (const { replica, mode, ops, result } of given.steps) {
    let head = heads[replica];
    if (mode === 'attach') head = await mergeHeads(head, remote, store.event);
    for (const [op, id, v] of ops) {
      const block = op === 'put' ? encodeDocument({ _id: id, v }, parseDocKey(id)) : TOMBSTONE;
      const merged = await rootOfHead(head, store);
      store.add([block, ...merged.added]);
      const trie = await putMany(store.shard, merged.root, [[id, block.cid]]);
      const event = encodeEvent({
        operations: [{ key: id, value: block.cid }],
        root: trie.root,
        parents: head,
      });
      store.add([...trie.added, event]);
      head = sortHead([event.cid]);
    }
    heads[replica] = head;
    if (mode === 'attach') remote = head;
    expect(head).toEqual(sortHead([...result.head]));
    const merged = await rootOfHead(head, store);
    store.add(merged.added);
    const rows: unknown[] = [];
    for await (const [key, cid] of entries(store.shard, merged.root ?? genesis.root)) {
      const found = decodeDocument(await store.read(cid));
      if (key !== GENESIS_KEY) rows.push([key, 'doc' in found ? found.doc['v'] : null]);
    }
    expect(rows).toEqual(result.rows);
    const changes = await changesSince(head, [], store.event);
    const told = (event: Cid) => (head.length > 1 ? (TOLD_OTHERWISE[event] ?? event) : event);
    expect(changes.map(({ key, event }) => [key, told(event)]).sort()).toEqual([...result.changes].sort());
  }
  expect(heads.A).toEqual(heads.B);
  expect(given.steps).toHaveLength(10);
});

test('golden sync: writes every archive of both replicas and the remote again byte for byte, and every meta entry', async () => {
  const plains = new Map<string, Uint8Array>();
  for (const folder of FOLDERS) {
    for (const name of filesIn(`${folder}data/`).filter((file) => file.endsWith('.car'))) {
      const stored = bytesOf(`${folder}data/${name}`);
      const bytes = await open(stored, all);
      plains.set(name, bytes);
      expect(`${cidOf(CAR, bytes)}.car`).toBe(name);
      const blocks = readCar(bytes).blocks.map(({ cid, offset, length }) => ({
        cid,
        bytes: bytes.subarray(offset, offset + length),
      }));
      const again = await packArchive(readArchiveHeader(bytes), blocks.slice(1));
      expect(Buffer.from(again.bytes).equals(bytes)).toBe(true);
      const sealed = await Promise.all(KEYS.map((key) => seal(again.bytes, key)));
      expect(sealed.some((one) => Buffer.from(one).equals(stored))).toBe(true);
    }
    const entry = JSON.parse(Buffer.from(bytesOf(`${folder}meta/main.json`)).toString('utf8'))[0];
    expect(encodeMetaEntry(decodeMetaEntry(entry).group, entry.parents)).toEqual(entry);
  }
  for (const { file, plainSize, plainSha256 } of given.remoteCars) {
    const plain = plains.get(file) ?? new Uint8Array();
    expect([plain.length, createHash('sha256').update(plain).digest('hex')]).toEqual([
      plainSize,
      plainSha256,
    ]);
  }
  expect(given.remoteCars).toHaveLength(
    filesIn('sync/remote/rem/data/').filter((name) => name.endsWith('.car')).length,
  );
});
