/** Merging while the store, a page, a right or another write gets in the way. */
import { FixpointError } from '@fixpoint/protocol';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { readCar } from '../src/archive/car.ts';
import { isMergeStamp } from '../src/clock/stamp.ts';
import type { Collections } from '../src/collections/collection-types.ts';
import { commitOn } from '../src/commit/commit.ts';
import type { MergeRule, Stored } from '../src/database/database-results.ts';
import { followRights, watchRight } from '../src/database/merge-rights.ts';
import { mergeWith } from '../src/database/merger.ts';
import { attachRemote } from '../src/database/shared-attach.ts';
import type { DocKey } from '../src/documents/doc-key.ts';
import { TOMBSTONE } from '../src/documents/encode.ts';
import { NEW_RECORD } from '../src/store/head-record.ts';
import type { Attached, Remote, SyncStatus } from '../src/sync/remote.ts';
import { openPeer, type Peer, pause, send } from './merge-world.fixture.ts';

type Any = Peer<Collections>;
const opened: Any[] = [];
afterEach(async () => {
  vi.restoreAllMocks();
  for (const { db } of opened.splice(0)) await db.close();
});

async function peer(): Promise<Any> {
  const one = await openPeer({});
  opened.push(one);
  return one;
}

/** Two peers that wrote two versions of a document. The first one has both. */
async function conflicting(base: object = { a: 0, b: 0 }): Promise<readonly [Any, Any]> {
  const [a, b] = [await peer(), await peer()];
  await a.db.put({ ...base, _id: 'x' });
  await send(a, b);
  await a.db.put({ ...base, _id: 'x', a: 1 });
  await b.db.put({ ...base, _id: 'x', b: 2 });
  await send(b, a);
  return [a, b];
}

async function mergesOf({ core }: Any): Promise<number> {
  const seen = new Set(core.commits.snapshot().head);
  let merges = 0;
  for (const cid of seen) {
    const event = await core.commits.readers.event(cid);
    if (isMergeStamp(event.by)) merges += 1;
    for (const parent of event.parents) seen.add(parent);
  }
  return merges;
}

/** Lets the work in the background end. */
const quiet = () => pause(30);
const conflictsOf = async ({ db }: Any) => (await db.conflicts()).map(({ id }) => id);
const MERGED = { _id: 'x', a: 1, b: 2 };

describe('[P1] merging goes on', () => {
  test('keeps merging other documents after concurrent deletions of an id that is no key', async () => {
    const [a, b] = [await peer(), await peer()];
    await a.db.mergeWith('', 'fields');
    await a.db.put({ _id: 'x', a: 0, b: 0 });
    await send(a, b);
    const { commits } = a.core;
    const before = commits.snapshot();
    const [genesis, record] = [undefined as never, NEW_RECORD];
    const parts = { first: undefined, genesis, record, readers: commits.readers, stamp: undefined };
    const made = await Promise.all(
      ['y', 'z'].map((other) =>
        commitOn(
          parts,
          before,
          ['notes/\u00e9', other].map((key) => ({ key: key as DocKey, value: TOMBSTONE })),
        ),
      ),
    );
    const archives = made
      .flatMap((one) => one.made)
      .map(({ cid, bytes }) => ({ cid, bytes, blocks: readCar(bytes).blocks }));
    await commits.mergeRemote({ head: made.flatMap(({ next }) => next.head), archives, remember: [] });
    await quiet();
    await a.db.put({ _id: 'x', a: 1, b: 0 });
    await b.db.put({ _id: 'x', a: 0, b: 2 });
    await send(b, a);
    await quiet();
    expect(await a.db.get('x')).toEqual(MERGED);
  });

  test('merges later after a rule took too long', async () => {
    const [a] = await conflicting();
    let calls = 0;
    await a.db.mergeWith('', () => {
      calls += 1;
      return calls === 1 ? new Promise<never>(() => undefined) : { merged: true };
    });
    await vi.waitUntil(() => calls === 1);
    await a.time.pass(10_000);
    await quiet();
    expect(await conflictsOf(a)).toEqual(['x']);
    await a.time.pass(60_000);
    await quiet();
    expect(await a.db.get('x')).toEqual({ _id: 'x', merged: true });
  });

  test('applies the rule of another page if the newest page is frozen', async () => {
    const [a] = await conflicting();
    let calls = 0;
    mergeWith(a.core, '', () => ({ by: 'first' }), {});
    mergeWith(
      a.core,
      '',
      () => {
        calls += 1;
        return new Promise<never>(() => undefined);
      },
      {},
    );
    await vi.waitUntil(() => calls === 1);
    await a.time.pass(10_000);
    await quiet();
    expect(await a.db.get('x')).toEqual({ _id: 'x', by: 'first' });
  });

  test.each(['while it reads a version', 'while it writes'])(
    'merges later if the store fails %s',
    async (when) => {
      const [a] = await conflicting();
      const { commits } = a.core;
      const failed = new FixpointError('STORE_FAILED', 'of the test');
      const spy =
        when === 'while it writes'
          ? vi.spyOn(commits, 'writeMerge').mockRejectedValue(failed)
          : vi.spyOn(commits.readers, 'block').mockRejectedValue(failed);
      await a.db.mergeWith('', 'fields');
      await quiet();
      spy.mockRestore();
      expect(a.reports).toContain(failed);
      expect(await mergesOf(a)).toBe(0);
      await a.time.pass(60_000);
      await quiet();
      expect(await a.db.get('x')).toEqual(MERGED);
    },
  );
});

describe('[P1] a rule', () => {
  test('receives the base of the history in each call, whatever it did to an earlier one', async () => {
    const [a] = await conflicting({ n: 10 });
    // Without stamps, the first event is the same on each device.
    const third = await peer();
    await third.db.put({ _id: 'x', n: 10 });
    await third.db.put({ _id: 'x', n: 10, c: 3 });
    await send(third, a);
    const bases: unknown[] = [];
    await a.db.mergeWith('', (base, ours, theirs) => {
      bases.push(base?.['n']);
      if (base !== undefined) Object.assign(base, { n: 0 });
      return { ...ours, ...theirs };
    });
    await quiet();
    expect(bases).toEqual([10, 10]);
  });

  test('never writes what it returned after the application replaced it', async () => {
    const [a] = await conflicting();
    let go = (_: object) => {};
    let calls = 0;
    await a.db.mergeWith('', () => {
      calls += 1;
      return new Promise<object>((resolve) => {
        go = resolve;
      }) as never;
    });
    await vi.waitUntil(() => calls === 1);
    await a.db.mergeWith('', () => ({ by: 'new' }));
    go({ by: 'old' });
    await quiet();
    expect(await a.db.get('x')).toEqual({ _id: 'x', by: 'new' });
    expect(await mergesOf(a)).toBe(1);
  });
});

describe('[P1] a write that depends on a document with a conflict', () => {
  /** A rule that waits until the test goes on. */
  function slow() {
    let go = () => {};
    const gate = new Promise<void>((resolve) => {
      go = resolve;
    });
    const rule: MergeRule = async (base, ours, theirs) => {
      await gate;
      const of = (key: string) => (ours[key] === base?.[key] ? theirs[key] : ours[key]);
      return { a: of('a'), b: of('b') };
    };
    return { rule, go: () => go() };
  }
  type Fields = Stored<Record<string, unknown>>;

  test.each([
    ['update', (a: Any) => a.db.update<Fields>('x', (doc) => ({ ...doc, c: 3 }))],
    ['transact', (a: Any) => a.db.transact(async (tx) => tx.put({ ...(await tx.get<Fields>('x')), c: 3 }))],
  ])('keeps the changes of both versions with %s', async (_, write) => {
    const { rule, go } = slow();
    const [a] = await conflicting();
    await a.db.mergeWith('', rule);
    // One write begins before the merge was planned, and one while it runs.
    const first = write(a);
    await quiet();
    const second = write(a);
    await quiet();
    go();
    await Promise.all([first, second]);
    expect(await a.db.get('x')).toEqual({ ...MERGED, c: 3 });
    expect(await conflictsOf(a)).toEqual([]);
  });

  test('waits no longer than a rule may take, and for no other document', async () => {
    const [a, b] = await conflicting();
    await a.db.put({ _id: 'w', a: 1 });
    await b.db.put({ _id: 'w', b: 1 });
    await send(b, a);
    const calls: string[] = [];
    await a.db.mergeWith('', (_, ours) => {
      calls.push(ours._id);
      return new Promise<never>(() => undefined);
    });
    await vi.waitUntil(() => calls.length === 1);
    await a.db.update('y', () => ({ y: 1 }));
    let isWritten = false;
    const write = a.db
      .update<Fields>('x', (doc) => ({ ...doc, c: 3 }))
      .then(() => {
        isWritten = true;
      });
    await quiet();
    expect(isWritten).toBe(false);
    await a.time.pass(10_000);
    await quiet();
    // The merge of the document itself has just begun.
    expect([calls, isWritten]).toEqual([['w', 'x'], true]);
    await write;
  });
});

describe('[P1] a device that may only read a ledger', () => {
  const tokenOf = (id: string, right: string) => `h.${btoa(JSON.stringify({ ledgers: [{ id, right }] }))}.s`;
  const claims = async ({ core }: Any, id: string, right: string) => {
    const { commits, platform } = core;
    const target = { ledger: id, tokens: { get: async () => tokenOf(id, right) } };
    const session = { commits, platform, target, signal: new AbortController().signal };
    watchRight(id, { take: () => undefined } as never, session as never).take({ anew: true } as never);
    await quiet();
  };

  test('keeps the conflict until the last ledger accepts its writes', async () => {
    const [a] = await conflicting();
    await claims(a, 'first', 'read');
    await claims(a, 'second', 'write');
    await a.db.mergeWith('', 'fields');
    await quiet();
    expect(await mergesOf(a)).toBe(0);
    await claims(a, 'first', 'write');
    expect(await a.db.get('x')).toEqual(MERGED);
  });

  test('merges after it has left the ledger, but not after the database was closed', async () => {
    const [a] = await conflicting();
    const { core } = a;
    const attached = {
      onStatus: (fn: (status: SyncStatus) => void) => {
        fn({ state: 'refused', toSend: 0, toFetch: 0 });
        return () => undefined;
      },
      detach: async () => undefined,
    } as unknown as Attached;
    const remote: Remote = { idOn: () => undefined, attach: async () => attached };
    const state = {
      all: new Set<Attached>(),
      onLost: new Set<() => void>(),
      isClosed: false,
      lost: undefined,
    };
    const own = await attachRemote(state, core, remote);
    const other = await attachRemote({ ...state }, core, remote);
    await quiet();
    state.isClosed = true;
    await own.detach();
    await quiet();
    expect(await core.commits.local.names('reads-only/')).toHaveLength(1);
    await other.detach();
    await quiet();
    expect(await core.commits.local.names('reads-only/')).toEqual([]);
  });

  test.each(['read', 'write'] as const)(
    'reports nothing if the database is closed while it looks at its right to %s',
    async (right) => {
      const [a] = await conflicting();
      const { core, reports, db } = a;
      await claims(a, 'ledger', 'read');
      const { local } = core.commits;
      const read = vi.spyOn(local, 'read').mockImplementation(async () => {
        await db.close();
        throw new FixpointError('DATABASE_CLOSED');
      });
      await claims(a, 'ledger', right);
      expect(read).toHaveBeenCalledTimes(1);
      expect(reports).toEqual([]);
    },
  );

  test('reports another failure to look at its right, and looks again', async () => {
    const [a] = await conflicting();
    const { core, reports } = a;
    vi.spyOn(core.commits.local, 'read').mockRejectedValueOnce(new FixpointError('STORE_FAILED'));
    await claims(a, 'ledger', 'read');
    expect(reports).toMatchObject([{ code: 'STORE_FAILED' }]);
    await claims(a, 'ledger', 'read');
    expect(await core.commits.local.names('reads-only/')).toEqual(['reads-only/ledger']);
  });

  test('learns in a while that another tab may write again', async () => {
    const [a] = await conflicting();
    let told: (status: SyncStatus) => void = () => undefined;
    const onStatus = (fn: typeof told) => {
      told = fn;
      return () => undefined;
    };
    followRights(a.core, { onStatus } as unknown as Attached, 'ledger');
    told({ state: 'refused', toSend: 0, toFetch: 0 });
    await quiet();
    await a.db.mergeWith('', 'fields');
    await quiet();
    expect(await mergesOf(a)).toBe(0);
    await a.core.commits.local.write([{ name: 'reads-only/ledger', bytes: undefined }]);
    await a.time.pass(60_000);
    await quiet();
    expect(await a.db.get('x')).toEqual(MERGED);
  });
});

test('[P2] reads a few events for each write after thousands of writes', async () => {
  const a = await peer();
  await a.db.mergeWith('', 'fields');
  for (let n = 0; n < 300; n++) await a.db.put({ _id: 'x', n });
  await quiet();
  const read = vi.spyOn(a.core.commits.readers, 'event');
  await a.db.put({ _id: 'x', n: -1 });
  await quiet();
  expect(read.mock.calls.length).toBeLessThan(10);
});
