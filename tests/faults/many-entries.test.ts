/** Tests ledgers with more entries than fit in one gateway event. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { EVENT_ENTRIES_MAX } from '../../packages/cloud/src/gateway/messages/answer-bind-get-meta.ts';
import { readMetas } from '../../packages/cloud/src/tables/sync/meta-rows.ts';
import { putMetas } from '../../packages/cloud/src/tables/sync/put-metas.ts';
import { encodeBlock } from '../../packages/engine/src/codec/block.ts';
import { decodeMetaEntry, encodeMetaEntry } from '../../packages/engine/src/sync/ledger/meta-entry-codec.ts';
import type { Replica } from '../../packages/engine/tests/sync-world.fixture.ts';
import { gatewayWorld } from './gateway-world.fixture.ts';

const OTHERS = 2 * EVENT_ENTRIES_MAX + 50;
const parseUnwatched = JSON.parse;
const has = async ({ db }: Replica, id: string) => (await db.allDocs()).rows.some(({ key }) => key === id);

/** Creates a ledger with a few hundred entries, and two replicas that have all of them. */
async function crowded(isStreamOffered: boolean) {
  const here = await gatewayWorld();
  const { time, db } = here;
  here.offerStream(isStreamOffered);
  const { notes, replica } = await here.ledger(1);
  const [a, b] = [replica(), replica()];
  const syncA = await a.attach();
  await a.db.put({ _id: 'first' });
  await time.run(syncA.synced());
  const { rows, keys } = await readMetas(db, notes, 0, 1);
  const group = rows.flatMap(({ entry }) => decodeMetaEntry(entry).group);
  const others = Array.from({ length: OTHERS }, (_, n) => encodeMetaEntry(group, [encodeBlock({ n }).cid]));
  for (const [n, entry] of others.entries())
    await putMetas(db, notes, `writer ${n}`, { metas: [entry], keys }, 0);
  await a.db.put({ _id: 'newest' });
  await time.run(syncA.synced());
  const syncB = await b.attach();
  await time.run(syncB.synced());
  expect(await has(b, 'newest')).toBe(true);
  return { ...here, notes, replica, a, b, syncA, syncB };
}

test.each([
  ['over sockets', true],
  ['by polling', false],
] as const)(
  '[R13] reports in-sync only after a replica has the newest entry, %s',
  async (_, isStreamOffered) => {
    const { time, a, b, syncA, syncB, reports } = await crowded(isStreamOffered);
    b.line.set('cut');
    await a.db.put({ _id: 'while away' });
    await time.run(syncA.synced());
    b.line.set('up');
    let wasThere: Promise<boolean> | undefined;
    const stop = syncB.onStatus(({ state }) => {
      if (state === 'in-sync') wasThere ??= has(b, 'while away');
    });
    await time.run(syncB.synced());
    stop();
    expect(await wasThere).toBe(true);
    if (isStreamOffered) {
      const before = b.line.passed();
      await time.run(syncB.synced());
      // Only one request and its answer pass, because the gateway doesn't repeat entries that it
      // already sent.
      expect(b.line.passed() - before).toBe(2);
    }
    expect(reports).toEqual([]);
  },
);

test.each([
  ['over sockets', true],
  ['by polling', false],
] as const)('[R13] never resends an entry to a replica that reconnects, %s', async (_, isStreamOffered) => {
  const { time, b, syncB } = await crowded(isStreamOffered);
  const listed: number[] = [];
  const parse = vi.spyOn(JSON, 'parse').mockImplementation((text: string) => {
    const value = parseUnwatched(text);
    if (value?.type === 'eventGetMeta') listed.push(value.meta.metas.length);
    return value;
  });
  onTestFinished(() => parse.mockRestore());
  for (const after of ['a cut', 'another cut']) {
    listed.length = 0;
    b.line.set('cut');
    await time.until(() => syncB.status().state === 'offline');
    b.line.set('up');
    await time.until(() => syncB.status().state === 'in-sync');
    expect([after, listed.length > 0, listed.reduce((sum, each) => sum + each, 0)]).toEqual([after, true, 0]);
  }
});

test('[R13][P1] sends all documents to a returning replica after a restore from a backup and later writes', async () => {
  const { time, db, kill, notes, replica, b, syncB, a, syncA } = await crowded(true);
  b.line.set('cut');
  await time.run(syncA.detach());
  const numbers = db.selectFrom('Ledgers').select('metaSeq').where('ledgerId', '=', notes.ledger);
  const metaSeq = (await numbers.executeTakeFirstOrThrow()).metaSeq - 10;
  await db.deleteFrom('Metas').where('ledgerId', '=', notes.ledger).where('seq', '>', metaSeq).execute();
  await db.updateTable('Ledgers').set({ metaSeq }).where('ledgerId', '=', notes.ledger).execute();
  kill();
  // The first entry after the restore reuses a number. The following entries have higher numbers
  // than any earlier entry.
  const c = replica();
  const syncC = await c.attach();
  await c.db.put({ _id: 'after the restore' });
  await time.run(syncC.synced());
  await time.run(syncC.detach());
  const { rows, keys } = await readMetas(db, notes, 0, 1);
  const group = rows.flatMap(({ entry }) => decodeMetaEntry(entry).group);
  for (let n = 0; n < 20; n++) {
    const entry = encodeMetaEntry(group, [encodeBlock({ again: n }).cid]);
    await putMetas(db, notes, `another writer ${n}`, { metas: [entry], keys }, 0);
  }
  b.line.set('up');
  await time.until(() => has(b, 'after the restore'));
  const syncAgain = await a.attach();
  for (const sync of [syncAgain, syncB, syncAgain]) await time.run(sync.synced());
  expect(await has(a, 'after the restore')).toBe(true);
});
