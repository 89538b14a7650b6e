import { FixpointError } from '@fixpoint/protocol';
import type { QueryRow } from 'fixpoint';
import { afterEach, expect, test } from 'vitest';
import { type AnswersParts, previewOf, type Question, serveAnswers } from './answers.ts';
import { createAsking } from './asking.ts';
import type { MapWork } from './counted-sandbox.ts';

const ports: MessagePort[] = [];
afterEach(() => {
  for (const port of ports.splice(0)) port.close();
  listeners.clear();
});

const SOURCE = '(doc) => doc.n';
const listeners = new Set<(work: MapWork) => void>();
const tell = (source: string, documents: number) => {
  for (const listener of listeners) listener({ source, documents, tookMs: documents * 2 });
};
const question: Question = { name: 'library', source: SOURCE, head: undefined, first: undefined };
const never = new AbortController().signal;

const rowOf = (n: number): QueryRow => ({ id: `d${n}`, key: n, value: { n, bytes: new Uint8Array([n]) } });

/** Connects the page's end and the worker's end. The worker's database answers with `query`. */
function joined(query: () => Promise<readonly QueryRow[]>, more: Partial<AnswersParts> = {}) {
  const { port1, port2 } = new MessageChannel();
  ports.push(port1, port2);
  const view = { query: async () => ({ rows: await query(), clock: [] }) as never, at: () => view };
  serveAnswers(port2, {
    databaseOf: () => view as never,
    rowsOf: () => ({ map: () => raise('no preview was asked for') }),
    onMapWork: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ...more,
  });
  return createAsking(port1);
}

const raise = (text: string): never => {
  throw new Error(text);
};

const many = async () => Array.from({ length: 250 }, (_, n) => rowOf(n));

test('sends the first rows with the answer, further rows on request, and all rows as JSON', async () => {
  const answer = await joined(many).ask(question, never);
  expect(answer.count).toBe(250);
  expect(answer.rows).toHaveLength(100);
  expect(answer.rows[1]).toEqual({ at: 1, key: '1', value: '{"n": 1, "bytes": 1 bytes}', id: 'd1' });
  const last = await answer.rowsOf(200, 300);
  expect(last.map(({ at }) => at)).toEqual(Array.from({ length: 50 }, (_, n) => 200 + n));
  const plain = JSON.parse(await answer.json()) as unknown[];
  expect(plain).toHaveLength(250);
  expect(plain[3]).toEqual({ key: 3, value: { n: 3, bytes: { '/': { bytes: 'Aw' } } }, id: 'd3' });
});

test('deletes a dropped answer, but keeps an answer whose question is aborted later', async () => {
  const asking = joined(many);
  const ending = new AbortController();
  const [one, other] = [await asking.ask(question, never), await asking.ask(question, ending.signal)];
  one.drop();
  ending.abort();
  expect(await one.rowsOf(0, 10)).toEqual([]);
  expect(await other.rowsOf(0, 10)).toHaveLength(10);
});

test('rejects an aborted question at once, and answers the next question while the first query still runs', async () => {
  const found: ((rows: readonly QueryRow[]) => void)[] = [];
  const asking = joined(() => new Promise((resolve) => found.push(resolve)));
  const ending = new AbortController();
  const asked = asking.ask(question, ending.signal);
  ending.abort(new Error('another run'));
  await expect(asked).rejects.toThrow('another run');
  const next = asking.ask(question, never);
  await expect.poll(() => found.length).toBe(2);
  for (const resolve of found) resolve(await many());
  expect((await next).count).toBe(250);
  expect(listeners.size).toBe(0);
});

test('counts the documents that a query’s map function reads, but no reads of previews or other queries', async () => {
  const asking = joined(async () => {
    tell(SOURCE, 3);
    tell(SOURCE, 4);
    tell(previewOf(SOURCE).source, 100);
    tell('(doc) => 1', 5);
    return [];
  });
  expect((await asking.ask(question, never)).cost).toEqual({ documents: 7, mapMs: 14 });
  expect(listeners.size).toBe(0);
});

test('runs the map function without an index when only the first rows are requested, and reports no cost', async () => {
  const asked: unknown[] = [];
  const asking = joined(many, {
    rowsOf: () => ({
      map: async function* (map, { limit } = {}) {
        asked.push(map, limit);
        yield [rowOf(1)];
        yield [rowOf(2)];
      },
    }),
  });
  const { count, cost, rows } = await asking.ask({ ...question, first: 20 }, never);
  expect([count, cost, rows.map(({ id }) => id)]).toEqual([2, undefined, ['d1', 'd2']]);
  expect(asked).toEqual([{ source: `${SOURCE}\n` }, 20]);
});

test('removes its listener after a failed query, and keeps the code and message of the error', async () => {
  const failed = joined(() => Promise.reject(new FixpointError('MAP_FAILED', 'of the function')));
  await expect(failed.ask(question, never)).rejects.toEqual(
    new FixpointError('MAP_FAILED', 'of the function'),
  );
  expect(listeners.size).toBe(0);
  const other = joined(() => Promise.reject(new Error('of something else')));
  await expect(other.ask(question, never)).rejects.toEqual(new Error('of something else'));
});

test('rejects pending and later questions when the worker is lost', async () => {
  const asking = joined(() => new Promise(() => undefined));
  const waits = asking.ask(question, never);
  asking.lost('out of memory');
  await expect(waits).rejects.toMatchObject({ code: 'WORKER_LOST' });
  await expect(asking.ask(question, never)).rejects.toMatchObject({ code: 'WORKER_LOST' });
});
