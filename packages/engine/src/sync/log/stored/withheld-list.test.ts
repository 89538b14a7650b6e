import { expect, test } from 'vitest';
import { eventCid } from '../../../clock/dag.fixture.ts';
import type { Cid } from '../../../codec/cid.ts';
import type { StoreChange } from '../../../ports/byte-store.ts';
import { stagedKey } from '../../../store/names.ts';
import { listIn, rowsOf, type WithheldList } from './withheld-list.ts';

const START = 'log-withheld/';
const [a, b, c, archive] = ['a', 'b', 'c', 'archive'].map(eventCid) as [Cid, Cid, Cid, Cid];

function device() {
  const rows = new Map<string, Uint8Array>();
  return {
    rows,
    list: (): WithheldList => listIn(START, new Map([...rows].filter(([key]) => key.startsWith(START)))),
    write: (changes: readonly StoreChange[]) => {
      for (const { key, bytes } of changes)
        if (bytes === undefined) rows.delete(key);
        else rows.set(key, bytes);
    },
  };
}

test('[item 6] keeps what two tabs add and remove at the same time', () => {
  const { list, write } = device();
  write(rowsOf(START, new Map(), new Map([[a, archive]]), 1));
  const before = list();
  const [one, other] = [new Map([...before, [b, undefined]]), new Map([[c, archive]])];
  write(rowsOf(START, before, one, 2));
  write(rowsOf(START, before, other, 2));
  expect(new Set(list())).toEqual(
    new Set([
      [b, undefined],
      [c, archive],
    ]),
  );
});

test('lists the newest events last', () => {
  const { list, write } = device();
  const events = [c, a, b];
  for (const [ms, event] of events.entries())
    write(rowsOf(START, list(), new Map([...list(), [event, undefined]]), ms));
  expect([...list().keys()]).toEqual(events);
});

test('protects archives while events of them are withheld', () => {
  const { rows, list, write } = device();
  write(rowsOf(START, list(), new Map([[a, archive]]), 1));
  expect(rows.has(stagedKey(archive))).toBe(true);
  write(rowsOf(START, list(), new Map(), 2));
  expect([...rows]).toEqual([]);
});
