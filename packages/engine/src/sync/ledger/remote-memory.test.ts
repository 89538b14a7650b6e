import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { sortHead } from '../../clock/event.ts';
import { encodeBlock } from '../../codec/block.ts';
import type { Cid } from '../../codec/cid.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import { createRemoteMemory, remoteIdOf } from './remote-memory.ts';

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => encodeBlock({ name }).cid) as [Cid, Cid, Cid, Cid];

/** Creates a memory whose rows are in a store. */
function stored() {
  const memory = createRemoteMemory('r');
  const store = new Map<string, Uint8Array>();
  const write = (rows: readonly StoreChange[]) => {
    for (const { key, bytes } of rows)
      if (bytes === undefined) store.delete(key);
      else store.set(key, bytes);
  };
  return {
    memory,
    store,
    write,
    learn: (rows: readonly StoreChange[]) => {
      write(rows);
      memory.learned(rows);
    },
    /** Returns a new memory that read the same store, as after a restart. */
    restarted: async () => {
      const next = createRemoteMemory('r');
      await next.load(async () => store);
      return next;
    },
  };
}

describe('load', () => {
  test('keeps facts that this device learns during the load', async () => {
    const { memory, store, learn } = stored();
    learn(memory.rowsOfGroups([[a]], 'live', 1));
    let reads = 0;
    await memory.load(async () => {
      const rows = new Map(store);
      reads += 1;
      if (reads === 1) learn(memory.rowsOfGroups([[b]], 'live', 1));
      return rows;
    });
    expect(memory.groups().toSorted()).toEqual([[a], [b]].toSorted());
    expect(reads).toBe(2);
  });

  test('forgets facts that the store no longer has', async () => {
    const { memory, learn } = stored();
    learn([
      ...memory.rowsOfGroups([[a]], 'live', 1),
      ...memory.rowsOfClaim([b], sortHead([c])),
      ...memory.rowsOfSent([c]),
      ...memory.rowsOfFiles([d]),
    ]);
    await memory.load(async () => new Map());
    expect(memory.knows([a])).toBe(false);
    expect(memory.hasMerged([b], sortHead([c]))).toBe(false);
    expect(memory.holds(a) || memory.holds(c)).toBe(false);
    expect(memory.holdsFile(d)).toBe(false);
  });

  test('keeps names that are not stored yet', async () => {
    const { memory } = stored();
    memory.named(a, Uint8Array.of(1));
    await memory.load(async () => new Map());
    expect(memory.nameOf(a)).toEqual(Uint8Array.of(1));
  });

  test('remembers everything after a restart', async () => {
    const { memory, learn, restarted } = stored();
    memory.sized(a, 7);
    memory.named(d, Uint8Array.of(1));
    learn(memory.rowsOfKind('wanted', 'sealed'));
    learn(memory.rowsOfKind('kind', 'sealed'));
    learn(memory.rowsOfSeen(sortHead([a])));
    learn(memory.rowsOfMerged([a], 5));
    learn(memory.rowsOfClaim([b], sortHead([c])));
    learn(memory.rowsOfSent([c], [a]));
    learn(memory.rowsOfFiles([d]));
    const next = await restarted();
    expect([next.kind(), next.wantedKind(), next.seen()]).toEqual(['sealed', 'sealed', [a]]);
    expect(next.bytesOf([a])).toBe(7);
    expect(next.hasMerged([a], sortHead([]))).toBe(true);
    expect(next.hasMerged([b], sortHead([c]))).toBe(true);
    expect(next.sentArchives()).toEqual([c]);
    expect(next.heldFiles()).toEqual([d]);
    expect(next.nameOf(d)).toEqual(Uint8Array.of(1));
  });

  test.each([
    ['CORRUPT', 'group/x', 'no JSON'],
    ['CORRUPT', 'group/x', '{"v":1,"cids":"?","at":1,"state":"live"}'],
    ['CORRUPT', 'group/x', '{"v":1,"cids":[],"at":1,"state":"other"}'],
    ['FORMAT_NEWER', 'group/x', '{"v":2}'],
    ['CORRUPT', 'kind', 'other'],
    ['CORRUPT', 'wanted', ''],
    ['CORRUPT', 'seen', '["?"]'],
    ['CORRUPT', 'sent/?', ''],
  ])('rejects with %s if the row %s contains %j', async (code, name, text) => {
    const { memory, store } = stored();
    store.set(`${memory.prefix}${name}`, utf8(text));
    await expect(memory.load(async () => store)).rejects.toMatchObject({ code });
  });

  test('ignores rows of other parts of the engine', async () => {
    const { memory, store } = stored();
    store.set(`${memory.prefix}secret/pair`, utf8('?'));
    await memory.load(async () => store);
    expect(memory.heldArchives()).toEqual([]);
  });
});

describe('groups', () => {
  test('lists live groups and parts, the newest first', () => {
    const { memory, learn } = stored();
    learn(memory.rowsOfGroups([[a]], 'live', 1));
    learn(memory.rowsOfGroups([[b]], 'part', 3));
    learn(memory.rowsOfGroups([[c]], 'live', 2));
    expect(memory.groups()).toEqual([[b], [c], [a]]);
    expect(memory.groupsIn('part')).toEqual([[b]]);
  });

  test('keeps the time when this device first learned of a group', () => {
    const { memory, learn } = stored();
    learn(memory.rowsOfGroups([[a]], 'part', 1));
    learn(memory.rowsOfGroups([[b]], 'live', 2));
    learn(memory.rowsOfGroups([[a]], 'live', 9));
    expect(memory.groups()).toEqual([[b], [a]]);
  });

  test('skips groups that were replaced before this device fetched them', () => {
    const { memory, learn } = stored();
    learn(memory.rowsOfGroups([[a]], 'live', 1));
    learn(memory.rowsOfReplaced([[a], [b]], 2));
    expect(memory.groupsIn('replaced')).toEqual([[a]]);
    expect(memory.groupsIn('skipped')).toEqual([[b]]);
    expect([memory.holds(a), memory.holds(b)]).toEqual([true, false]);
    expect(memory.groups()).toEqual([]);
  });

  test('changes a skipped group to replaced when its head is merged, and counts its archives as held', () => {
    const { memory, learn } = stored();
    learn(memory.rowsOfReplaced([[b]], 2));
    learn(memory.rowsOfMerged([b], 3));
    expect(memory.groupsIn('replaced')).toEqual([[b]]);
    expect(memory.holds(b)).toBe(true);
    expect(memory.hasMerged([b], sortHead([]))).toBe(true);
  });

  test('counts a group as known while the group is being sent', () => {
    const { memory } = stored();
    memory.expect([a]);
    expect(memory.knows([a])).toBe(true);
    expect(memory.hasMerged([a], sortHead([b]))).toBe(true);
    memory.forget([a]);
    expect(memory.knows([a])).toBe(false);
  });

  test('forgets the archives of a forgotten group, except those that another group contains', () => {
    const { memory, learn } = stored();
    learn(
      memory.rowsOfGroups(
        [
          [a, b],
          [c, b],
        ],
        'live',
        1,
      ),
    );
    learn([{ key: `${memory.prefix}group/${a}`, bytes: undefined }]);
    expect(memory.groups()).toEqual([[c, b]]);
    expect([memory.holds(a), memory.holds(b), memory.holds(c)]).toEqual([false, true, true]);
  });

  test('counts a group as small unless the group has several archives or a known length above the threshold', () => {
    const { memory, learn } = stored();
    memory.sized(a, 10);
    memory.sized(b, 50_000_000);
    learn(memory.rowsOfGroups([[a], [b], [c, d]], 'live', 1));
    expect(memory.smallGroups()).toEqual([[a]]);
    expect(memory.isSmall([d])).toBe(true);
  });
});

describe('claims', () => {
  test('counts only the claimed head as merged', () => {
    const { memory, learn } = stored();
    learn(memory.rowsOfClaim([a], sortHead([b])));
    expect(memory.hasMerged([a], sortHead([b]))).toBe(true);
    expect(memory.hasMerged([a], sortHead([c]))).toBe(false);
  });
});

describe('archives', () => {
  test('counts a sent archive as held until this device removes the archive', () => {
    const { memory, learn } = stored();
    learn(memory.rowsOfSent([a], [b]));
    expect(memory.holds(a)).toBe(true);
    learn(memory.rowsOfGone([a]));
    expect(memory.holds(a)).toBe(false);
  });

  test('counts an archive as received from the remote until the remote loses the archive', () => {
    const { memory } = stored();
    memory.given(a);
    expect(memory.hasGiven(a)).toBe(true);
    memory.forget([a]);
    expect(memory.hasGiven(a)).toBe(false);
  });

  test('adds a name to the next rows about archives, until it is stored', () => {
    const { memory, learn } = stored();
    memory.named(a, Uint8Array.of(7));
    const row = { key: `${memory.prefix}name/${a}`, bytes: Uint8Array.of(7) };
    expect(memory.rowsOfSent([a])).toContainEqual(row);
    expect(memory.rowsOfFiles([a])).toContainEqual(row);
    expect(memory.rowsOfGroups([[a]], 'live', 1)).toContainEqual(row);
    expect(memory.rowsOfSent([b])).toContainEqual(row);
    learn(memory.rowsOfMerged([b], 5));
    expect(memory.rowsOfSent([b])).toHaveLength(1);
    expect(memory.rowsOfSent([a])).toContainEqual(row);
  });
});

test('stores the newest head of the remote only for a sealed ledger', () => {
  const { memory, learn } = stored();
  learn(memory.rowsOfKind('kind', 'open-key'));
  expect(memory.rowsOfSeen(sortHead([a]))).toEqual([]);
});

test('derives the id of a remote from only its origin, tenant and ledger', () => {
  const id = remoteIdOf(new URL('https://cloud.test/fp'), 't', 'l');
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(remoteIdOf(new URL('https://cloud.test/other'), 't', 'l')).toBe(id);
  expect(remoteIdOf(new URL('https://cloud.test/fp'), 't', 'm')).not.toBe(id);
  expect(remoteIdOf(new URL('https://cloud.test/fp'), 'tl', '')).not.toBe(id);
});
