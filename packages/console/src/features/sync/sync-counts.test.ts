import { describe, expect, test } from 'vitest';
import { countStatus, countsOf, leftText, NOTHING_COUNTED, partDone, rateText } from './sync-counts.ts';

const after = (...statuses: [toSend: number, toFetch: number][]) =>
  statuses.reduce((counts, [toSend, toFetch]) => countStatus(counts, { toSend, toFetch }), NOTHING_COUNTED);

describe('the progress of a first sync', () => {
  test('counts what left the queues', () => {
    expect(after([10, 0], [7, 2], [4, 0])).toEqual({ sent: 6, fetched: 2, toSend: 4, toFetch: 0 });
  });

  test('counts work that appears later, and never as done', () => {
    expect(after([10, 0], [4, 0], [9, 0], [0, 0])).toMatchObject({ sent: 15, toSend: 0 });
  });

  test('counts each status of a sync once, however often a page asks, and each sync apart', () => {
    const [sync, other] = [{}, {}];
    const status = (toSend: number) => ({ state: 'catching-up', toSend, toFetch: 0 }) as const;
    const [first, second] = [status(4), status(1)];
    for (const each of [first, first, second, second]) countsOf(sync, each);
    expect(countsOf(sync, second)).toEqual({ sent: 3, fetched: 0, toSend: 1, toFetch: 0 });
    expect(countsOf(other, second).sent).toBe(0);
  });

  test('returns the completed part once there is something to count', () => {
    expect([
      partDone(NOTHING_COUNTED),
      partDone(after([4, 4], [2, 4])),
      partDone(after([1, 0], [0, 0])),
    ]).toEqual([undefined, 0.25, 1]);
  });

  test.each([
    [3000, 'About 3 seconds left'],
    [1000, 'About 1 second left'],
    [200_000, 'About 4 minutes left'],
    [999, undefined],
  ])('reports the time left after %i ms', (elapsedMs, text) => {
    expect(leftText(after([10, 0], [5, 0]), elapsedMs)).toBe(text);
  });

  test('reports no time left before the first part, or at the end', () => {
    expect([leftText(after([10, 0]), 9000), leftText(after([10, 0], [0, 0]), 9000)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test('reports the rate', () => {
    const counts = after([100, 0], [70, 0]);
    expect([rateText(counts, 500), rateText(counts, 2000), rateText(counts, 20_000)]).toEqual([
      undefined,
      '15 parts/s',
      '1.5 parts/s',
    ]);
  });
});
