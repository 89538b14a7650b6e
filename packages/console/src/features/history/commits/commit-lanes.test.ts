import { expect, test } from 'vitest';
import { drawLanes } from './commit-lanes.ts';

test('puts a sequence of events into one lane', () => {
  const rows = drawLanes([
    { event: 'c', parents: ['b'] },
    { event: 'b', parents: ['a'] },
    { event: 'a', parents: [] },
  ]);
  expect(rows.map(({ lane }) => lane)).toEqual([0, 0, 0]);
  expect(rows[0]?.lines).toEqual([{ from: undefined, to: 0 }]);
  expect(rows[1]?.lines).toEqual([
    { from: 0, to: undefined },
    { from: undefined, to: 0 },
  ]);
  expect(rows[2]?.lines).toEqual([{ from: 0, to: undefined }]);
});

test('puts concurrent events into parallel lanes, which join where they were merged', () => {
  const rows = drawLanes([
    { event: 'merge', parents: ['left', 'right'] },
    { event: 'left', parents: ['root'] },
    { event: 'right', parents: ['root'] },
    { event: 'root', parents: [] },
  ]);
  expect(rows.map(({ lane }) => lane)).toEqual([0, 0, 1, 0]);
  expect(rows[0]?.lines).toEqual([
    { from: undefined, to: 0 },
    { from: undefined, to: 1 },
  ]);
  expect(rows[2]?.lines).toContainEqual({ from: undefined, to: 0 });
  expect(rows[3]?.lines).toEqual([{ from: 0, to: undefined }]);
});

test('starts each of two heads in its own lane, and reuses ended lanes', () => {
  const rows = drawLanes([
    { event: 'x', parents: ['root'] },
    { event: 'y', parents: ['root'] },
    { event: 'root', parents: [] },
    { event: 'other', parents: [] },
  ]);
  expect(rows.map(({ lane }) => lane)).toEqual([0, 1, 0, 0]);
});
