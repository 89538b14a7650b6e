import { expect, test } from 'vitest';
import type { AnswerRow } from '../../local/ask.ts';
import { answerRows } from './answer-rows.ts';

const rowOf = (at: number): AnswerRow => ({ at, key: `${at}`, value: '', id: `d${at}` });
const rowsFrom = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => rowOf(from + n));

function answerOf(count: number) {
  const asked: number[] = [];
  const answer = {
    count,
    rows: rowsFrom(0, Math.min(count, 100)),
    rowsOf: async (from: number, to: number) => {
      asked.push(from);
      return rowsFrom(from, Math.min(to, count));
    },
  };
  return { answer, asked };
}

test('returns a short result completely, without further requests', () => {
  const { answer, asked } = answerOf(40);
  const rows = answerRows(answer);
  rows.show(0, 39);
  expect(rows.rowAt(39)?.id).toBe('d39');
  expect(asked).toEqual([]);
});

test('loads the rows in and around the view only once, and reports when they arrive', async () => {
  const { answer, asked } = answerOf(100_000);
  const rows = answerRows(answer);
  const before = rows.current();
  let told = 0;
  rows.subscribe(() => {
    told += 1;
  });
  rows.show(50_010, 50_030);
  rows.show(50_012, 50_032);
  expect(rows.rowAt(50_020)).toBeUndefined();
  await expect.poll(() => told).toBe(2);
  expect(asked).toEqual([49_900, 50_000]);
  expect(rows.rowAt(50_020)?.id).toBe('d50020');
  expect(rows.current()).not.toBe(before);
  rows.show(50_010, 50_030);
  expect(asked).toHaveLength(2);
});

test('keeps only a limited number of the rows that were shown', async () => {
  const { answer, asked } = answerOf(100_000);
  const rows = answerRows(answer);
  for (let at = 0; at < 40_000; at += 100) rows.show(at, at + 20);
  await expect.poll(() => rows.rowAt(39_920)?.id).toBe('d39920');
  expect(rows.rowAt(0)).toBeUndefined();
  const before = asked.length;
  rows.show(0, 20);
  await expect.poll(() => rows.rowAt(0)?.id).toBe('d0');
  expect(asked.length).toBe(before + 1);
});

test('reports why rows can’t be read, and retries when they are shown again', async () => {
  let isLost = true;
  const rows = answerRows({
    ...answerOf(1000).answer,
    rowsOf: (from, to) => (isLost ? Promise.reject(new Error('lost')) : Promise.resolve(rowsFrom(from, to))),
  });
  rows.show(500, 510);
  await expect.poll(() => rows.current().error).toEqual(new Error('lost'));
  isLost = false;
  rows.show(500, 510);
  await expect.poll(() => rows.rowAt(505)?.id).toBe('d505');
  expect(rows.current().error).toBeUndefined();
});
