/**
 * Tests an event whose recorded root doesn't match its operations. All replicas must show the
 * recorded state, even replicas whose compaction dropped the trie.
 */
import { describe, expect, test } from 'vitest';
import type { Archive } from '../src/archive/pack.ts';
import type { Attached } from '../src/sync/remote.ts';
import { document, leaf, objectOf, plant, rootWith } from './planted.fixture.ts';
import { upload } from './sync-uploads.fixture.ts';
import { contentOf, type Replica, type World, world } from './sync-world.fixture.ts';

const idsOf = async ({ db }: Replica) => (await db.allDocs()).rows.map(({ key }) => key);

interface Arranged extends World {
  readonly a: Replica;
  readonly b: Replica;
  /** A replica that wrote a document after the planted event and has been offline since. */
  readonly away: Replica;
  readonly syncA: Attached;
  readonly planted: Archive;
}

/**
 * Plants an event whose only operation writes `z`. Its root also contains a document `ghost`, which
 * no operation wrote.
 */
async function arranged(): Promise<Arranged> {
  const here = world({ history: { commits: 1 } });
  const [a, b, away] = [here.replica(), here.replica(), here.replica()];
  const [syncA] = [await a.attach(), await b.attach(), await away.attach()];
  await a.db.put({ _id: 'first' });
  await here.time.run(syncA.synced());
  const [[parent, { operations }] = expect.fail('no event')] = await a.events();
  const first = operations[0]?.value ?? expect.fail('no document');
  const [z, ghost] = [document('z'), document('ghost')];
  const root = rootWith(leaf('first', first), leaf('ghost', ghost.cid), leaf('z', z.cid));
  const planted = await plant(here, {
    event: { operations: [{ key: 'z', value: z.cid }], root: root.cid, parents: [parent] },
    blocks: [z, ghost, root],
  });
  here.gateway.restart();
  for (const replica of [a, b, away])
    await here.time.until(async () => (await idsOf(replica)).join() === 'first,ghost,z');
  away.line.set('cut');
  await away.db.put({ _id: 'on the branch' });
  return { ...here, a, b, away, syncA, planted };
}

/** Compacts a replica and reopens it, which clears everything that it has in memory. */
async function compacted({ time }: World, replica: Replica): Promise<[Replica, Attached]> {
  await time.run(replica.db.compact());
  const again = await replica.reopen();
  return [again, await again.attach()];
}

async function expectEqual({ time }: World, ids: readonly string[], ...all: readonly Replica[]) {
  for (const replica of all) await time.until(async () => (await idsOf(replica)).join() === ids.join());
  const [first, ...others] = await Promise.all(all.map(({ db }) => contentOf(db)));
  for (const other of others) expect(other).toEqual(first);
  expect(new Set(await Promise.all(all.map((replica) => replica.root()))).size).toBe(1);
}

const ALL = ['first', 'ghost', 'later', 'on the branch', 'z'];

describe('a branch from an event with a wrong root', () => {
  test('[R5][R8] is merged with the same result on replicas that have the trie, compacted replicas and late replicas', async () => {
    const here = await arranged();
    const { time, b, away, syncA } = here;
    await here.a.db.put({ _id: 'later' });
    await time.run(syncA.synced());
    const [a] = await compacted(here, here.a);
    away.line.set('up');
    const late = here.replica();
    await late.attach();
    await expectEqual(here, ALL, a, b, away, late);
  });

  test('[R5][R8] is merged even if all replicas compacted and the archives at the remote were merged', async () => {
    const here = await arranged();
    const { time, syncA } = here;
    await upload(here, here.a, syncA, 'many', 120);
    await time.until(async () => (await idsOf(here.b)).length > 40);
    const ids = [...(await idsOf(here.a)), 'on the branch'].sort();
    const [a] = await compacted(here, here.a);
    const [b] = await compacted(here, here.b);
    const [away] = await compacted(here, here.away);
    const late = here.replica();
    await late.attach();
    await expectEqual(here, ids, a, b, away, late);
  });

  test('[R5] waits when the remote lost the trie of the event, and arrives with the next write of a replica that has the branch', async () => {
    const here = await arranged();
    const { time, gateway, b, away, planted } = here;
    await here.a.db.put({ _id: 'later' });
    await time.run(here.syncA.synced());
    await time.until(async () => (await idsOf(b)).includes('later'));
    const [a, syncA] = await compacted(here, here.a);
    gateway.objects.delete(objectOf(planted));
    away.line.set('up');
    await time.until(() => syncA.status().error?.code === 'MISSING_BLOCK');
    const fetched = new Set<string>();
    gateway.objectFailure = ({ url }) => void fetched.add(url);
    await time.pass(60_000);
    // The replica fetches only the branch again, not all archives at the remote.
    expect(fetched.size).toBe(1);
    expect(await idsOf(a)).toEqual(['first', 'ghost', 'later', 'z']);
    await expectEqual(here, ALL, b);
    await b.db.put({ _id: 'more' });
    await expectEqual(here, [...ALL, 'more'].sort(), a, b);
  });
});
