import { mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import type { Cid } from '../src/codec/cid.ts';
import { openDatabase } from '../src/database/open.ts';
import { fixpoint } from '../src/entries/node.ts';
import { memoryStore } from '../src/platform/memory-store.ts';
import { entries } from '../src/trie/entries.ts';
import { budget, patienceMs } from './budget.fixture.ts';
import { Hoard, openOn, operation } from './compaction-world.fixture.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';
import { contentOf, haveSameHead, world } from './sync-world.fixture.ts';

const base = mkdtempSync(join(tmpdir(), 'fixpoint-retention-'));
afterAll(() => rmSync(base, { recursive: true, force: true }));
const UPDATES = budget({ commit: 10_000, night: 100_000, release: 1_000_000 });

const bytesIn = (folder: string): number =>
  readdirSync(folder, { withFileTypes: true }).reduce(
    (sum, entry) =>
      sum +
      (entry.isDirectory() ? bytesIn(join(folder, entry.name)) : statSync(join(folder, entry.name)).size),
    0,
  );

describe('retention', () => {
  test(`[R11] uses little space for one document updated ${UPDATES} times, after a compaction`, {
    timeout: patienceMs(),
  }, async () => {
    const directory = join(base, 'growth');
    const db = fixpoint('growth', { directory, durability: 'relaxed' });
    for (let n = 0; n < UPDATES; n++) await db.put({ _id: 'only', n, text: 'x'.repeat(60) });
    await db.compact();
    expect(bytesIn(directory)).toBeLessThanOrEqual(3 * 100 + 2_000_000);
    const before = await db.changes();
    await db.close();
    const again = fixpoint('growth', { directory });
    expect((await again.get('only'))['n']).toBe(UPDATES - 1);
    expect(await again.changes()).toEqual(before);
    expect(before.rows.map(({ key }) => key)).toEqual(['only']);
    await again.put({ _id: 'other' });
    expect((await again.changes(before.clock)).rows.map(({ key }) => key)).toEqual(['other']);
    await again.close();
  });

  test('[R11] doesn’t fill the disk while a document is updated without a pause', async () => {
    const { platform, values, time } = memoryPlatform();
    const db = openDatabase('restless', platform);
    for (let n = 0; n < 200; n++) {
      await db.put({ _id: 'only', n, text: String(n).repeat(500_000) });
      await time.pass(50);
    }
    let stored = 0;
    for (const value of values.values()) stored += value.length;
    expect(stored).toBeLessThan(100_000_000);
    expect((await db.get('only'))['n']).toBe(199);
    await db.close();
  });

  test('keeps the newest commits readable, and drops older commits', async () => {
    const values = new Map<string, Uint8Array>();
    const commits = await openOn(memoryStore(values), { commits: 5, bytes: Number.POSITIVE_INFINITY });
    const heads: (readonly Cid[])[] = [];
    for (let n = 0; n < 20; n++) {
      await commits.write([operation(`doc-${n % 3}`, n)]);
      heads.push(commits.snapshot().head);
    }
    await commits.compact();
    const opened = await openOn(memoryStore(values), { commits: 5, bytes: Number.POSITIVE_INFINITY });
    for (const head of heads.slice(-5)) {
      const { root } = await opened.readers.event(head[0] as Cid);
      for await (const [, value] of entries(opened.readers.shard, root)) await opened.readers.block(value);
    }
    const gone = expect.objectContaining({ code: 'MISSING_BLOCK' }) as Error;
    await expect(opened.readers.event(heads[2]?.[0] as Cid)).rejects.toThrow(gone);
    for (const tell of [commits, opened]) expect(tell.snapshot().head).toEqual(heads.at(-1));
  });

  test('[P5] syncs a database with dropped events completely to a fresh replica', async () => {
    const here = world({ history: { commits: 2 } });
    const [old, other, fresh] = [here.replica(), here.replica(), here.replica()];
    for (let n = 0; n < 30; n++) await old.db.put({ _id: `doc-${n % 7}`, n });
    await old.db.del('doc-3');
    await here.time.run(old.db.compact());
    const since = await old.db.head();
    await other.db.put({ _id: 'doc-1', from: 'the other' });
    const syncs = [await old.attach(), await other.attach()];
    await here.time.until(
      async () =>
        syncs.every((sync) => sync.status().state === 'in-sync') && (await haveSameHead([old, other])),
    );
    syncs.push(await fresh.attach());
    await here.time.until(
      async () =>
        syncs.every((sync) => sync.status().state === 'in-sync') && (await haveSameHead([fresh, old])),
    );
    const expected = await contentOf(old.db);
    expect(expected.docs.map(({ _id }) => _id)).toEqual([
      'doc-0',
      'doc-1',
      'doc-2',
      'doc-4',
      'doc-5',
      'doc-6',
    ]);
    for (const replica of [other, fresh]) {
      expect(await contentOf(replica.db)).toEqual(expected);
      expect(await replica.root()).toBe(await old.root());
    }
    expect((await old.db.changes(since)).rows.map(({ key }) => key)).toContain('doc-1');
    await here.time.run(old.db.compact());
    expect(await contentOf((await old.reopen()).db)).toEqual(expected);
  });

  test('[R7] has the same root for the same content, whenever the database is compacted', async () => {
    const roots = new Set<Cid | undefined>();
    for (const [at, step] of [1, 5, 7, 11, 13, 17, 19, 23].entries()) {
      const every = at + 1;
      const store = new Hoard().over(memoryStore());
      const commits = await openOn(store, { commits: every % 3, bytes: Number.POSITIVE_INFINITY });
      const order = Array.from({ length: 24 }, (_, turn) => (turn * step) % 24);
      if (every % 2 === 0) await commits.prepareForSync();
      for (const [turn, n] of order.entries()) {
        await commits.write([operation(`doc-${n}`, n)]);
        if (turn % every === 0) await commits.compact();
      }
      roots.add(commits.snapshot().root);
    }
    expect(roots.size).toBe(1);
  });
});
