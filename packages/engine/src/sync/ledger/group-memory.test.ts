import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { sortHead } from '../../clock/event.ts';
import { encodeBlock } from '../../codec/block.ts';
import { type Cid, parseCid } from '../../codec/cid.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import { SMALL_BYTES } from '../../store/archive-tiers.ts';
import { createGroupMemory } from './group-memory.ts';

const cid = (name: string): Cid => encodeBlock({ name }).cid;
const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(cid) as [Cid, Cid, Cid, Cid];
const PREFIX = 'remote/r/';

/** Creates the memory of groups, with the rows that it stores. */
function remembering(rowsOfNames: (archives: readonly Cid[]) => StoreChange[] = () => []) {
  const { memory, take, takeClaim, clear, holds, forgetExpected } = createGroupMemory(PREFIX, rowsOfNames);
  const stored = new Map<string, Uint8Array>();
  const takeRow = (key: string, bytes: Uint8Array | undefined) => {
    const [row = '', first = ''] = key.slice(PREFIX.length).split('/');
    if (row === 'group') take(first, bytes);
    else if (row === 'claim' && bytes !== undefined) takeClaim(parseCid(first), bytes);
  };
  return {
    memory,
    take,
    holds,
    forgetExpected,
    stored,
    learn: (rows: readonly StoreChange[]) => {
      for (const { key, bytes } of rows) {
        if (bytes === undefined) stored.delete(key);
        else stored.set(key, bytes);
        takeRow(key, bytes);
      }
    },
    forgetAll: clear,
    /** Reads all rows again, as after a restart. */
    restart: () => {
      clear();
      for (const [key, bytes] of stored) takeRow(key, bytes);
    },
  };
}

describe('groups at a remote', () => {
  test('lists groups newest first, without replaced groups', () => {
    const { memory, learn } = remembering();
    learn(memory.rowsOfGroups([[a]], 'live', 1));
    learn(memory.rowsOfGroups([[b, c]], 'part', 3));
    learn(memory.rowsOfGroups([[d]], 'live', 2));
    expect(memory.groups()).toEqual([[b, c], [d], [a]]);
    learn(memory.rowsOfReplaced([[d]], 9));
    expect(memory.groups()).toEqual([[b, c], [a]]);
    expect(memory.groupsIn('replaced')).toEqual([[d]]);
  });

  test('remembers all details of the groups after a restart', () => {
    const { memory, learn, restart } = remembering();
    memory.sized(a, 7);
    learn([...memory.rowsOfGroups([[a]], 'live', 1), ...memory.rowsOfMerged([b, c], 2)]);
    const before = memory.allGroups();
    restart();
    expect(memory.allGroups()).toEqual(before);
    expect([memory.bytesOf([a]), memory.hasMerged([b, c], [])]).toEqual([7, true]);
  });

  test('keeps the time when this device first learned of a group', () => {
    const { memory, learn } = remembering();
    learn(memory.rowsOfGroups([[a]], 'part', 1));
    learn(memory.rowsOfGroups([[a]], 'live', 5));
    learn(memory.rowsOfMerged([a], 9));
    expect(memory.allGroups()).toEqual([{ cids: [a], at: 1, state: 'live', bytes: undefined, merged: true }]);
  });

  test('counts a merged group as merged even after its state changes', () => {
    const { memory, learn } = remembering();
    learn(memory.rowsOfMerged([a], 1));
    learn(memory.rowsOfGroups([[a]], 'live', 2));
    learn(memory.rowsOfReplaced([[a]], 3));
    expect(memory.hasMerged([a], [])).toBe(true);
  });

  test('knows a group only by all of its archives in the same order', () => {
    const { memory, learn } = remembering();
    learn(memory.rowsOfGroups([[a, b]], 'live', 1));
    expect([memory.knows([a, b]), memory.knows([a]), memory.knows([b, a])]).toEqual([true, false, false]);
  });

  test('creates no rows for an empty group', () => {
    const { memory } = remembering();
    expect([memory.rowsOfGroups([[]], 'live', 1), memory.rowsOfMerged([], 1)]).toEqual([[], []]);
  });

  test('stores the names of the archives together with their group', () => {
    const { memory } = remembering((archives) =>
      archives.map((one) => ({ key: `${PREFIX}name/${one}`, bytes: utf8('name') })),
    );
    const keys = memory.rowsOfGroups([[a, b]], 'live', 1).map(({ key }) => key);
    expect(keys).toEqual([`${PREFIX}group/${a}`, `${PREFIX}name/${a}`, `${PREFIX}name/${b}`]);
  });
});

describe('groups that a compaction replaced', () => {
  test('skips a group that this device never fetched, and does not count its archives as held', () => {
    const { memory, learn, holds } = remembering();
    learn(memory.rowsOfReplaced([[a]], 1));
    expect(memory.groupsIn('skipped')).toEqual([[a]]);
    expect([holds(a), memory.heldArchives()]).toEqual([false, []]);
    // The group is still known, because it needs no fetch.
    expect(memory.knows([a])).toBe(true);
  });

  test('keeps a skipped group skipped when it is replaced a second time', () => {
    const { memory, learn, holds } = remembering();
    learn(memory.rowsOfReplaced([[a]], 1));
    learn(memory.rowsOfReplaced([[a]], 2));
    expect([memory.groupsIn('skipped'), holds(a)]).toEqual([[[a]], false]);
  });

  test.each(['live', 'part'] as const)('counts the archives of a replaced %s group as held', (state) => {
    const { memory, learn, holds } = remembering();
    learn(memory.rowsOfGroups([[a]], state, 1));
    learn(memory.rowsOfReplaced([[a]], 2));
    expect([memory.groupsIn('replaced'), holds(a)]).toEqual([[[a]], true]);
  });

  test.each([
    ['skipped', 'replaced'],
    ['replaced', 'replaced'],
    ['live', 'live'],
  ] as const)('stores a %s group as %s after its head was merged', (from, to) => {
    const { memory, learn, holds } = remembering();
    if (from !== 'skipped') learn(memory.rowsOfGroups([[a]], 'live', 1));
    if (from !== 'live') learn(memory.rowsOfReplaced([[a]], 2));
    expect(memory.groupsIn(from)).toEqual([[a]]);
    learn(memory.rowsOfMerged([a], 3));
    expect([memory.groupsIn(to), memory.hasMerged([a], []), holds(a)]).toEqual([[[a]], true, true]);
  });

  test('lists a replaced group again when the remote lost its replacement', () => {
    const { memory, learn } = remembering();
    learn(memory.rowsOfGroups([[a]], 'live', 1));
    learn(memory.rowsOfReplaced([[a]], 2));
    learn(memory.rowsOfGroups([[a]], 'live', 3));
    expect(memory.groups()).toEqual([[a]]);
  });
});

describe('forgetting a group', () => {
  test('forgets the archives of the group, except those that another group contains', () => {
    const { memory, learn, holds } = remembering();
    learn([...memory.rowsOfGroups([[a, b]], 'live', 1), ...memory.rowsOfGroups([[c, b]], 'live', 2)]);
    learn([{ key: `${PREFIX}group/${a}`, bytes: undefined }]);
    expect([holds(a), holds(b), holds(c)]).toEqual([false, true, true]);
    expect([memory.knows([a, b]), memory.groups()]).toEqual([false, [[c, b]]]);
  });

  test('does nothing for an unknown group', () => {
    const { memory, learn, take } = remembering();
    learn(memory.rowsOfGroups([[a]], 'live', 1));
    take(b, undefined);
    expect(memory.groups()).toEqual([[a]]);
  });
});

describe('the size of a group', () => {
  test('becomes durable with the next row of the group', () => {
    const { memory, learn, restart } = remembering();
    learn(memory.rowsOfGroups([[a]], 'live', 1));
    expect(memory.bytesOf([a])).toBeUndefined();
    memory.sized(a, 100);
    expect(memory.bytesOf([a])).toBe(100);
    learn(memory.rowsOfMerged([a], 2));
    restart();
    expect(memory.bytesOf([a])).toBe(100);
  });

  test('decides which live groups are worth merging', () => {
    const { memory, learn } = remembering();
    memory.sized(a, SMALL_BYTES - 1);
    memory.sized(b, SMALL_BYTES);
    learn(memory.rowsOfGroups([[a], [b], [c, d]], 'live', 1));
    expect(memory.smallGroups()).toEqual([[a]]);
    // A part was uploaded, but has no meta entry yet.
    learn(memory.rowsOfGroups([[a]], 'part', 2));
    expect(memory.smallGroups()).toEqual([]);
  });

  test('counts a group as small if its size is unknown, unless the group has several archives', () => {
    const { memory } = remembering();
    expect([memory.isSmall([a]), memory.isSmall([a, b])]).toEqual([true, false]);
  });
});

describe('groups that are being sent', () => {
  test('counts a group as known and merged before the remote lists the group', () => {
    const { memory } = remembering();
    memory.expect([a, b]);
    expect([memory.knows([a, b]), memory.hasMerged([a, b], [])]).toEqual([true, true]);
    expect([memory.knows([a]), memory.groups()]).toEqual([false, []]);
  });

  test('forgets a group when one of its archives is forgotten', () => {
    const { memory, forgetExpected } = remembering();
    memory.expect([a, b]);
    memory.expect([c]);
    forgetExpected([b]);
    expect([memory.knows([a, b]), memory.knows([c])]).toEqual([false, true]);
  });
});

describe('claimed heads', () => {
  test('counts a claimed head as merged, but no other claim for the same group', () => {
    const { memory, learn, restart } = remembering();
    const [one, other] = [sortHead([c]), sortHead([c, d])];
    learn(memory.rowsOfClaim([a], one));
    restart();
    expect([memory.hasMerged([a], one), memory.hasMerged([a], other)]).toEqual([true, false]);
    expect(memory.knows([a])).toBe(false);
  });

  test('replaces the merged claim of a group with the next merged claim', () => {
    const { memory, learn } = remembering();
    const [one, other] = [sortHead([c]), sortHead([d])];
    learn(memory.rowsOfClaim([a], one));
    learn(memory.rowsOfClaim([a], other));
    expect([memory.hasMerged([a], one), memory.hasMerged([a], other)]).toEqual([false, true]);
  });

  test('forgets claims when the rows are read again and the store has no claims', () => {
    const { memory, learn, forgetAll } = remembering();
    learn(memory.rowsOfClaim([a], sortHead([c])));
    forgetAll();
    expect(memory.hasMerged([a], sortHead([c]))).toBe(false);
  });
});

describe('damaged rows', () => {
  const row = (change: object) =>
    utf8(JSON.stringify({ v: 1, cids: [a], at: 1, state: 'live', merged: false, ...change }));
  test.each([
    ['text that is not JSON', utf8('group'), 'CORRUPT'],
    ['an empty row', new Uint8Array(), 'CORRUPT'],
    ['archives that are not a list', row({ cids: a }), 'CORRUPT'],
    ['an archive that is not a CID', row({ cids: ['x'] }), 'CORRUPT'],
    ['a time that is not a number', row({ at: '1' }), 'CORRUPT'],
    ['a state that does not exist', row({ state: 'lost' }), 'CORRUPT'],
    ['a row of a later version', row({ v: 2 }), 'FORMAT_NEWER'],
    ['a row without a version', row({ v: undefined }), 'FORMAT_NEWER'],
  ])('[R4] rejects %s', (_, bytes, code) => {
    const { memory, take } = remembering();
    expect(() => take(a, bytes)).toThrow(expect.objectContaining({ code }));
    expect(memory.allGroups()).toEqual([]);
  });

  test('reads rows of earlier versions, which have neither sizes nor merged heads', () => {
    const { memory, take } = remembering();
    take(a, utf8(JSON.stringify({ v: 1, cids: [a], at: 1, state: 'live' })));
    expect(memory.allGroups()).toEqual([
      { cids: [a], at: 1, state: 'live', bytes: undefined, merged: false },
    ]);
  });
});
