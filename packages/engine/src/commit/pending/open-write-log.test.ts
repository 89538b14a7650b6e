import { describe, expect, test } from 'vitest';
import { createTurns } from '../../base/turns.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import { createAttempts } from '../attempts.ts';
import { reloadHead } from '../current-head.ts';
import { copyOf, documentAt, full, headOver, operation } from '../head.fixture.ts';
import { openWriteLog } from './open-write-log.ts';
import { encodePending, pendingKey } from './pending-rows.ts';

const channel = { post: () => undefined, onHint: () => () => undefined, close: () => undefined };
/** Opens the head and the log of one tab or process over stored values. */
async function opened(values: Map<string, Uint8Array>, writer: string, more: Partial<ByteStore> = {}) {
  const tab = await headOver(values, more);
  const { head, store, time } = tab;
  const reports: unknown[] = [];
  const exclusive = createTurns();
  const { attempts } = createAttempts({
    ...{ store, channel, time },
    reload: () => reloadHead(head),
    requireOpen: () => undefined,
  });
  const log = openWriteLog({
    ...{ head, store, time, attempts },
    newWriter: () => writer,
    exclusive,
    committed: () => undefined,
    direct: () => Promise.reject(new Error('direct')),
    groupWrites: true,
    report: (error) => void reports.push(error),
  });
  await tab.open();
  await log.recover();
  return { ...tab, log, reports };
}

const rowsIn = (values: ReadonlyMap<string, Uint8Array>) =>
  [...values.keys()].filter((key) => key.startsWith('pending/'));

const pendingIn = (values: Map<string, Uint8Array>, writer: string, number: number, id: string, n: number) =>
  values.set(pendingKey(writer, number), encodePending([operation(id, n)]));

describe('a commit of pending writes', () => {
  test('[R2] removes their rows in the same step, and announces nothing again', async () => {
    const { log, head, values, changes, writes } = await opened(new Map(), 'a');
    await log.write([operation('x', 1)]);
    await log.write([operation('x', 2)]);
    expect(rowsIn(values)).toHaveLength(2);
    expect(changes.map(({ origin, ids }) => [origin, ids])).toEqual([
      ['local', ['x']],
      ['local', ['x']],
    ]);
    await log.settle();
    expect(rowsIn(values)).toEqual([]);
    expect(writes.at(-1)?.keys.filter((key) => key.startsWith('pending/'))).toHaveLength(2);
    expect(changes.at(-1)).toMatchObject({ origin: 'settled', ids: ['x'], after: head.snapshot.head });
    expect(await documentAt(head, 'x')).toEqual(operation('x', 2).value.bytes);
  });

  test('lists documents in the order of their last writes', async () => {
    const { log, changes } = await opened(new Map(), 'a');
    for (const [id, n] of [
      ['x', 1],
      ['y', 1],
      ['x', 2],
    ] as const)
      await log.write([operation(id, n)]);
    await log.settle();
    expect(changes.at(-1)?.ids).toEqual(['y', 'x']);
  });

  test('removes the row of a write that changes nothing', async () => {
    const { log, head, values } = await opened(new Map(), 'a');
    await log.write([operation('x', 1)]);
    await log.settle();
    const before = head.snapshot.head;
    await log.write([operation('x', 1)]);
    await log.settle();
    expect(head.snapshot.head).toEqual(before);
    expect(rowsIn(values)).toEqual([]);
  });

  test('[R9] keeps the order of writes of several tabs, whichever of them commits', async () => {
    const values = new Map<string, Uint8Array>();
    const a = await opened(values, 'z');
    const b = await opened(values, 'b');
    await a.log.write([operation('x', 1)]);
    await a.time.pass(1);
    await b.time.pass(2);
    await b.log.write([operation('x', 2)]);
    await b.log.settle();
    expect(rowsIn(values)).toEqual([]);
    expect(b.changes.at(-1)).toMatchObject({ origin: 'elsewhere', ids: ['x'] });
    await a.log.settle();
    expect(await documentAt(a.head, 'x')).toEqual(operation('x', 2).value.bytes);
  });

  test('[R9] leaves out rows that another tab committed first', async () => {
    const values = new Map<string, Uint8Array>();
    const a = await opened(values, 'a');
    await a.log.write([operation('x', 1)]);
    const b = await opened(values, 'b');
    expect(rowsIn(values)).toEqual([]);
    await b.log.write([operation('x', 2)]);
    await b.log.settle();
    await a.log.write([operation('y', 1)]);
    await a.log.settle();
    expect(await documentAt(a.head, 'x')).toEqual(operation('x', 2).value.bytes);
    expect(await documentAt(a.head, 'y')).toEqual(operation('y', 1).value.bytes);
  });
});

test('posts a hint with the first pending write, so that other tabs know of it', async () => {
  const { log, posts } = await opened(new Map(), 'a');
  await log.write([operation('x', 1)]);
  await log.write([operation('y', 1)]);
  expect(posts).toHaveLength(1);
});

describe('an open', () => {
  test('[R10] succeeds on a full disk, and keeps what is pending', async () => {
    const { log, values } = await opened(new Map(), 'a');
    await log.write([operation('x', 1)]);
    const copy = copyOf(values);
    const after = await opened(copy, 'b', { write: () => Promise.reject(full) });
    expect(rowsIn(copy)).toHaveLength(1);
    expect(after.reports).toEqual([full]);
  });

  test('[R1] commits acknowledged writes that a crash left pending, in their order', async () => {
    const { log, values } = await opened(new Map(), 'a');
    for (const n of [1, 2, 3]) await log.write([operation('x', n), operation(`d${n}`, n)]);
    const after = await opened(copyOf(values), 'b');
    expect(await documentAt(after.head, 'x')).toEqual(operation('x', 3).value.bytes);
    expect(await documentAt(after.head, 'd1')).toEqual(operation('d1', 1).value.bytes);
    expect(rowsIn(after.values)).toEqual([]);
  });

  test('[R4] rejects a damaged row', async () => {
    const values = new Map([[pendingKey('a', 0), Uint8Array.of(0xff)]]);
    await expect(opened(values, 'b')).rejects.toMatchObject({ code: 'CORRUPT' });
  });

  test('[R9] leaves the rows of a living process to it, and commits those of one that stopped', async () => {
    const values = new Map<string, Uint8Array>();
    pendingIn(values, '1', 0, 'of 1', 1);
    pendingIn(values, '2', 0, 'of 2', 1);
    const { head } = await opened(values, '0', {
      writer: 0,
      isAlone: async () => false,
      ifAbandoned: async (writer, work) => {
        if (writer === 1) return false;
        await work();
        return true;
      },
    });
    expect(rowsIn(values)).toEqual([pendingKey('1', 0)]);
    expect(await documentAt(head, 'of 2')).toBeDefined();
    expect(await documentAt(head, 'of 1')).toBeUndefined();
  });
});

describe('a clock that was set back', () => {
  test('[R1] puts writes after rows that a closed tab left on a full disk', async () => {
    const values = new Map<string, Uint8Array>();
    const state = { isFull: true };
    const later = 8e15;
    pendingIn(values, 'closed', later, 'x', 1);
    // Only commits need more space than there is.
    const { log, head } = await opened(values, 'a', {
      write: async (changes) => {
        if (state.isFull && changes.some(({ key }) => !key.startsWith('pending/'))) throw full;
        for (const { key, bytes } of changes) {
          if (bytes === undefined) values.delete(key);
          else values.set(key, bytes);
        }
        return true;
      },
    });
    await log.write([operation('x', 2)]);
    expect(rowsIn(values)).toEqual([pendingKey('closed', later), pendingKey('a', later + 1)]);
    state.isFull = false;
    await log.settle();
    expect(rowsIn(values)).toEqual([]);
    expect(await documentAt(head, 'x')).toEqual(operation('x', 2).value.bytes);
  });

  test('[R9] puts writes after those of another tab that announced some', async () => {
    const values = new Map<string, Uint8Array>();
    const { log, time } = await opened(values, 'a');
    for (const later of [7e15, 8e15]) {
      pendingIn(values, 'b', later, 'x', 1);
      log.noticed();
      await time.pass(1);
      await log.write([operation('x', 2)]);
      expect(rowsIn(values)).toContain(pendingKey('a', later + 1));
    }
  });
});

describe('a sign of another tab', () => {
  test('[R1] commits rows that are still pending a second later, because their tab was closed', async () => {
    const values = new Map<string, Uint8Array>();
    const { log, head, time, reports, changes } = await opened(values, 'a');
    pendingIn(values, 'closed', 0, 'x', 1);
    log.noticed();
    await time.pass(900);
    pendingIn(values, 'living', 0, 'y', 1);
    expect(rowsIn(values)).toHaveLength(2);
    await time.pass(200);
    expect(rowsIn(values)).toEqual([]);
    expect(await documentAt(head, 'x')).toBeDefined();
    expect(changes.map(({ origin }) => origin)).toContain('elsewhere');
    expect(reports).toEqual([]);
  });
});
