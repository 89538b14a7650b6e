import { FixpointError } from '@fixpoint/protocol';
import type { Database } from 'fixpoint';
import { describe, expect, test } from 'vitest';
import { commonBase } from './merge-base.ts';

/** Creates a history: newest first, each event with the events that it follows. */
function databaseOf(
  graph: Readonly<Record<string, readonly string[]>>,
  states: Readonly<Record<string, unknown>>,
  times: Readonly<Record<string, number>> = {},
) {
  const events = Object.entries(graph).map(([event, parents]) => ({ event, parents, time: times[event] }));
  return {
    events: async ({ limit = 0, after = '' }) => {
      const from = events.findIndex(({ event }) => event === after) + 1;
      return events.slice(from, from + limit);
    },
    at: (head: readonly string[]) => ({
      allDocs: async () => {
        const value = states[head.join(' ')];
        if (value instanceof Error) throw value;
        return { rows: value === undefined ? [] : [{ key: 'milk', value }] };
      },
    }),
  } as unknown as Database;
}

const find = (database: Database, a: string, b: string) =>
  commonBase(database, 'milk', [a, b], new AbortController().signal);

describe('the common base of two versions', () => {
  const GRAPH = { a2: ['a1'], b1: ['base'], a1: ['base'], base: ['first'], first: [] };

  test('is the document at the newest event that both follow', async () => {
    const database = databaseOf(GRAPH, { base: { litres: 1 }, first: { litres: 0 } });
    expect(await find(database, 'a2', 'b1')).toEqual({ stored: { litres: 1 }, ms: undefined });
  });

  test('is one of the versions if the other one follows it', async () => {
    const database = databaseOf(GRAPH, { a1: { litres: 5 } });
    expect(await find(database, 'a2', 'a1')).toEqual({ stored: { litres: 5 }, ms: undefined });
  });

  test('has no document if nothing is common, or the document is newer', async () => {
    expect(await find(databaseOf({ a: [], b: [] }, {}), 'a', 'b')).toEqual({
      stored: undefined,
      ms: undefined,
    });
    expect(await find(databaseOf(GRAPH, {}), 'a2', 'b1')).toEqual({ stored: undefined, ms: undefined });
  });

  test('is the document at all newest events that both follow, if these were written at once', async () => {
    const TIMES = { a: 40, x: 10, y: 20, old: 30 };
    const graph = { a: ['x', 'y'], b: ['y', 'x'], x: ['old'], y: ['old'], old: [] };
    const database = databaseOf(graph, { 'x y': { phone: 2 }, x: { phone: 1 }, y: { phone: 0 } }, TIMES);
    expect(await find(database, 'a', 'b')).toEqual({ stored: { phone: 2 }, ms: 20 });
  });

  test('ignores a common event that another common event follows', async () => {
    const graph = { a: ['x', 'old'], b: ['x'], c: [], x: ['middle'], middle: ['old'], old: [] };
    const database = databaseOf(graph, { x: { litres: 3 }, old: { litres: 1 } });
    expect(await find(database, 'a', 'b')).toEqual({ stored: { litres: 3 }, ms: undefined });
  });

  test('is unknown if compaction removed it, or if it is too old', async () => {
    const gone = databaseOf(GRAPH, { base: new FixpointError('HISTORY_COMPACTED') });
    expect(await find(gone, 'a2', 'b1')).toBe(undefined);
    const chain = Array.from({ length: 10_100 }, (_, at): [string, string[]] => [`e${at}`, [`e${at + 1}`]]);
    const long = databaseOf(Object.fromEntries([['b', ['e10099']], ...chain]), {});
    expect(await find(long, 'e0', 'b')).toBe(undefined);
  });
});
