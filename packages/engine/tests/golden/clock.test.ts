import { describe, expect, test } from 'vitest';
import { packArchive } from '../../src/archive/pack.ts';
import { advance, mergeHeads } from '../../src/clock/advance.ts';
import { decodeEvent, encodeEvent, sortHead } from '../../src/clock/event.ts';
import { GENESIS_EVENT, genesisOf } from '../../src/clock/genesis.ts';
import { rootOfHead } from '../../src/clock/root-of-head.ts';
import { blockOf } from '../../src/codec/block.ts';
import type { Cid } from '../../src/codec/cid.ts';
import { GENESIS_DOCUMENT, GENESIS_KEY } from '../../src/documents/genesis.ts';
import { applyOperations } from '../../src/trie/apply.ts';
import { putMany } from '../../src/trie/put-many.ts';
import { blockstore, fromHex, toHex, vectors } from './vectors.fixture.ts';

interface Step {
  replica: number;
  op: 'put' | 'batch' | 'merge';
  key?: string;
  value?: Cid;
  ops?: { key: string; value: Cid }[];
  incoming?: Cid[];
  event?: Cid;
  head: Cid[];
  root: Cid;
  additions?: Cid[];
}
interface MergeCase {
  name: string;
  steps: Step[];
  final: { head: Cid[]; root: Cid };
  eventBlocks: Record<Cid, string>;
  shardBlocks?: Record<Cid, string>;
}

const cases = vectors<{ cases: MergeCase[] }>('merge.json').cases;

/** Creates the genesis event and its trie. All replicas begin with this event. */
async function firstEvent(
  store: ReturnType<typeof blockstore>,
  eventBlocks: Record<Cid, string>,
): Promise<Cid> {
  for (const hex of Object.values(eventBlocks)) {
    const event = decodeEvent(fromHex(hex));
    if (event.parents.length > 0) continue;
    const trie = await applyOperations(store.shard, undefined, event.operations);
    const block = encodeEvent({ ...event, root: trie.root });
    store.add([...trie.added, block]);
    return block.cid;
  }
  throw new Error('no first event');
}

describe('golden clock', () => {
  test.each(cases.map((one) => [one.name, one] as const))(
    '[P1] %s: produces the recorded events, heads and roots',
    async (_, { steps, final, eventBlocks, shardBlocks }) => {
      const store = blockstore();
      const heads = new Map<number, readonly Cid[]>();
      const first = await firstEvent(store, eventBlocks);
      for (const step of steps) {
        const before = heads.get(step.replica) ?? [first];
        let head = sortHead(before);
        if (step.op === 'merge') {
          head = await mergeHeads(before, step.incoming ?? [], store.event);
        } else {
          const operations = step.ops ?? [{ key: step.key ?? '', value: step.value }];
          const puts = operations.flatMap(({ key, value }) =>
            value === undefined ? [] : [[key, value] as const],
          );
          const merged = await rootOfHead(head, store);
          store.add(merged.added);
          const trie = await putMany(store.shard, merged.root, puts);
          store.add(trie.added);
          // A single put that changes nothing creates no event.
          if (step.op === 'batch' || trie.root !== merged.root) {
            const event = encodeEvent({ operations, root: trie.root, parents: head });
            store.add([event]);
            expect(event.cid).toBe(step.event);
            expect(toHex(event.bytes)).toBe(eventBlocks[event.cid]);
            head = await advance(head, event.cid, store.event);
          }
        }
        expect(head).toEqual(sortHead(step.head));
        const root = await rootOfHead(head, store);
        expect(root.root).toBe(step.root);
        const order = await rootOfHead([...head].reverse(), store);
        expect(order.root).toBe(step.root);
        if (step.additions !== undefined && head.length > 1) {
          const made = new Set(root.added.map(({ cid }) => cid));
          expect(
            [...made].filter((cid) => !store.byCid.has(cid)).filter((cid) => !step.additions?.includes(cid)),
          ).toEqual([]);
        }
        store.add(root.added);
        heads.set(step.replica, head);
      }
      expect((await rootOfHead(sortHead(final.head), store)).root).toBe(final.root);
      for (const [cid, hex] of Object.entries(shardBlocks ?? {}))
        if (store.byCid.has(cid as Cid)) expect(toHex(await store.read(cid as Cid))).toBe(hex);
    },
  );

  test('advance: computes the recorded head for each event', async () => {
    const given = vectors<{ vectors: { case: number; head: Cid[]; event: Cid; result: Cid[] }[] }>(
      'advance.json',
    ).vectors;
    const stores = cases.map(({ eventBlocks }) => {
      const store = blockstore();
      store.add(Object.values(eventBlocks).map((hex) => blockOf(fromHex(hex))));
      return store;
    });
    for (const { case: at, head, event, result } of given)
      expect(await advance(head, event, (stores[at] ?? blockstore()).event)).toEqual(sortHead(result));
    expect(given.length).toBeGreaterThan(50);
  });

  interface EventVector {
    name: string;
    cid: Cid;
    bytes: string;
    data: { type?: string; key?: string };
    parentsGiven: Cid[];
    parentsStored: Cid[];
  }
  const { events, genesis } = vectors<{ events: EventVector[]; genesis: Record<string, unknown> }>(
    'events.json',
  );
  const ours = events.filter(({ data, name }) => data.type !== undefined && name !== 'batch-1');

  test.each(ours.map((one) => [one.name, one] as const))(
    'event %s: encodes the recorded bytes, CID and order of parents',
    (_, event) => {
      const read = decodeEvent(fromHex(event.bytes));
      expect(read.parents).toEqual(event.parentsStored);
      const again = encodeEvent({ ...read, parents: event.parentsGiven });
      expect([again.cid, toHex(again.bytes)]).toEqual([event.cid, event.bytes]);
    },
  );

  test('event batch-1: reads a batch with one operation, but writes a put instead', () => {
    const batch = events.find(({ name }) => name === 'batch-1');
    expect(decodeEvent(fromHex(batch?.bytes ?? '')).operations).toHaveLength(1);
  });

  test('reports an event of an unknown type as data of a newer version, not as damaged', () => {
    const other = events.find(({ data }) => data.type === undefined);
    expect(() => decodeEvent(fromHex(other?.bytes ?? ''))).toThrow(
      expect.objectContaining({ code: 'FORMAT_NEWER' }),
    );
    expect(events).toHaveLength(ours.length + 2);
  });

  test('creates the genesis commit that every database has', async () => {
    const made = genesisOf(GENESIS_KEY, GENESIS_DOCUMENT);
    expect(made.head).toEqual([GENESIS_EVENT]);
    expect(made.root).toBe('bafyreiejg3twlaxr7gfvvhtxrhvwaydytdv4guidmtvaz5dskm6gp73ryi');
    const archive = await packArchive({ cars: [], compact: [], head: made.head }, made.blocks);
    expect(archive.cid).toBe('baembeig2is4vdgz4gyiadfh5uutxxeiuqtacnesnytrnilpwcu7q5m5tmu');
    const [, empty, shard, event] = made.blocks;
    expect({ [shard?.cid ?? '']: toHex(shard?.bytes ?? new Uint8Array()) }).toEqual(genesis['shards']);
    expect({ cid: empty?.cid, bytes: toHex(empty?.bytes ?? new Uint8Array()) }).toEqual(
      genesis['emptyShard'],
    );
    expect(toHex(event?.bytes ?? new Uint8Array())).toBe(genesis['eventBytes']);
  });
});
