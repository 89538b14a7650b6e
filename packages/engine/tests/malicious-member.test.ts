/**
 * A hostile member with the right to write sends malformed data. Other members quarantine the data,
 * or the data does no harm.
 */
import { describe, expect, test } from 'vitest';
import { concatBytes, utf8 } from '../src/base/bytes.ts';
import { type ClockEvent, encodeEvent } from '../src/clock/event.ts';
import { type Block, blockOf, encodeBlock } from '../src/codec/block.ts';
import type { Cid } from '../src/codec/cid.ts';
import type { Attached } from '../src/sync/remote.ts';
import { encodeShard } from '../src/trie/shard.ts';
import { document, GENESIS, leaf, type Planted, plant, rootWith } from './planted.fixture.ts';
import { groupsAt } from './sync-uploads.fixture.ts';
import { type Replica, world } from './sync-world.fixture.ts';

const written = (root: Block, value: Cid, key = 'z'): ClockEvent => ({
  operations: [{ key, value }],
  root: root.cid,
  parents: GENESIS.head,
});

/**
 * Returns shards that each link to the next lower shard three times. Walking all 3^60 paths would
 * never end.
 */
function endless(): { readonly top: Block; readonly blocks: readonly Block[] } {
  let top = encodeShard({ prefix: 'z', entries: [leaf('z', document('zz').cid)] });
  const blocks = [top];
  for (let depth = 0; depth < 60; depth++) {
    const below = top.cid;
    const entries = ['a', 'b', 'c'].map((key) => ({ key, value: undefined, child: below }));
    top = encodeShard({ prefix: 'z', entries });
    blocks.push(top);
  }
  return { top, blocks };
}

const HARM: Readonly<Record<string, () => Planted>> = {
  'a missing document': () => {
    const root = rootWith(leaf('z', document('z').cid));
    return { event: written(root, document('z').cid), blocks: [root] };
  },
  'a block that isn’t a document': () => {
    const none = encodeBlock({ neither: 'doc', nor: 'del' });
    const root = rootWith(leaf('z', none.cid));
    return { event: written(root, none.cid), blocks: [none, root] };
  },
  'a document nested too deep to read': () => {
    const bytes = concatBytes([
      Uint8Array.of(0xa1, 0x63, ...utf8('doc')),
      new Uint8Array(5000).fill(0x81),
      new Uint8Array(1),
    ]);
    const deep = blockOf(bytes);
    const root = rootWith(leaf('z', deep.cid));
    return { event: written(root, deep.cid), blocks: [deep, root] };
  },
  'a missing shard': () => {
    const below = encodeShard({ prefix: 'z', entries: [leaf('z', document('zz').cid)] });
    const root = rootWith({ key: 'z', value: undefined, child: below.cid });
    return { event: written(root, document('zz').cid, 'zz'), blocks: [document('zz'), root] };
  },
  'a practically endless trie': () => {
    const { top, blocks } = endless();
    const root = rootWith({ key: 'z', value: undefined, child: top.cid });
    return { event: written(root, document('zz').cid, 'zz'), blocks: [document('zz'), ...blocks, root] };
  },
  'an event with a missing parent': () => {
    const root = rootWith(leaf('z', document('z').cid));
    const orphan = encodeEvent({ ...written(root, document('z').cid), parents: [] });
    const event = { ...written(root, document('z').cid), parents: [...GENESIS.head, orphan.cid] };
    return { event, blocks: [document('z'), root] };
  },
};

/**
 * Cases whose operations are valid. When there are concurrent writes, replicas replay these
 * operations and ignore the tries.
 */
const SOUND_BESIDE = ['a missing shard', 'a practically endless trie'];
const isHeld = (sync: Attached): boolean => sync.status().toFetch > 0 && sync.status().error !== undefined;
const plantedOf = (name: string): Planted => HARM[name]?.() ?? expect.fail('no such harm');

describe('a hostile member', () => {
  test.each(Object.keys(HARM))(
    '[R13][R20] puts %s among other writes; all replicas, also late ones, continue to read and write',
    async (name) => {
      const here = world();
      const { time, gateway, replica } = here;
      const [a, b] = [replica(), replica()];
      const syncs = [await a.attach(), await b.attach()];
      await a.db.put({ _id: 'before' });
      await time.until(async () => (await b.db.allDocs()).rows.length === 1);
      await plant(here, plantedOf(name));
      gateway.restart();
      const all = SOUND_BESIDE.includes(name) ? ['after', 'before', 'zz'] : ['after', 'before'];
      await a.db.put({ _id: 'after' });
      const late = replica();
      const syncLate = await late.attach();
      for (const { db } of [a, b, late])
        await time.until(async () => (await db.allDocs()).rows.length === all.length);
      await late.db.put({ _id: 'own' });
      for (const { db } of [a, b, late])
        await time.until(async () => (await db.allDocs()).rows.length === all.length + 1);
      for (const { db, reports } of [a, b, late]) {
        expect((await db.allDocs()).rows.map(({ key }) => key)).toEqual([...all, 'own'].sort());
        expect((await db.changes()).rows).toHaveLength(all.length + 1);
        expect(reports).toEqual([]);
      }
      if (!SOUND_BESIDE.includes(name))
        for (const sync of [...syncs, syncLate])
          expect(['CORRUPT', 'MISSING_BLOCK']).toContain(sync.status().error?.code);
    },
  );

  test.each(Object.keys(HARM))(
    '[R13][R20] puts %s into an empty ledger; replicas quarantine the entry, and continue to read and write',
    async (name) => {
      const here = world();
      const { time, replica } = here;
      await plant(here, plantedOf(name));
      const a = replica();
      const sync = await a.attach();
      await time.until(() => isHeld(sync));
      expect(['CORRUPT', 'MISSING_BLOCK']).toContain(sync.status().error?.code);
      expect((await a.db.allDocs()).rows).toEqual([]);
      await a.db.put({ _id: 'own' });
      const b = replica();
      await b.attach();
      await time.until(async () => (await b.db.allDocs()).rows.some(({ key }) => key === 'own'));
      await b.db.put({ _id: 'of b' });
      await time.until(async () => (await a.db.allDocs()).rows.some(({ key }) => key === 'of b'));
      expect([a.reports, b.reports]).toEqual([[], []]);
    },
  );

  /** Returns one document as written by a client that has no other data. */
  const apart = (id: string, says: NonNullable<Planted['says']>): Planted => {
    const root = rootWith(leaf(id, document(id).cid));
    return { event: written(root, document(id).cid, id), blocks: [document(id), root], says };
  };
  const idsOf = async ({ db }: Replica) => (await db.allDocs()).rows.map(({ key }) => key).join();

  test.each(['cars', 'compact'] as const)(
    '[P1][P5] lists another member’s archive in `%s`, but omits that archive’s head; a late replica has the documents of both members',
    async (field) => {
      const here = world();
      const [a, late] = [here.replica(), here.replica()];
      const sync = await a.attach();
      await a.db.put({ _id: 'of a' });
      await here.time.run(sync.synced());
      await plant(here, apart('z', { [field]: await groupsAt(here.gateway) }));
      const syncLate = await late.attach();
      await here.time.run(syncLate.synced());
      expect(await idsOf(late)).toBe('of a,z');
      await here.time.run(sync.synced());
      expect(await late.db.head()).toEqual(await a.db.head());
    },
  );

  test('[P1][R13] claims to have replaced archives of other members; a late replica has all documents', async () => {
    const here = world();
    const { gateway, time } = here;
    const [a, late] = [here.replica(), here.replica()];
    const sync = await a.attach();
    await a.db.put({ _id: 'of a' });
    await time.run(sync.synced());
    const first = await plant(here, apart('y', { compact: await groupsAt(gateway) }));
    gateway.restart();
    await time.until(async () => (await idsOf(a)) === 'of a,y');
    await plant(here, apart('z', { compact: [[first.cid]] }));
    gateway.restart();
    await time.until(async () => (await idsOf(a)) === 'of a,y,z');
    await a.db.put({ _id: 'of a again' });
    await time.run(sync.synced());
    const syncLate = await late.attach();
    await time.run(syncLate.synced());
    expect(await idsOf(late)).toBe('of a,of a again,y,z');
    expect(await late.db.head()).toEqual(await a.db.head());
  });

  test('[R13] puts a valid document, which others merge', async () => {
    const here = world();
    const a = here.replica();
    const sync = await a.attach();
    const root = rootWith(leaf('z', document('z').cid));
    await plant(here, { event: written(root, document('z').cid), blocks: [document('z'), root] });
    here.gateway.restart();
    await here.time.run(sync.synced());
    expect(await a.db.get('z')).toMatchObject({ text: 'of z' });
  });
});
