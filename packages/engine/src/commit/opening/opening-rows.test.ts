import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import type { Cid } from '../../codec/cid.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import type { Snapshot } from '../snapshot.ts';
import { createOpeningRows } from './opening-rows.ts';

/** Creates the rows of a database of this size, and lists what is saved. */
function rowsOf({ bytes = 1_000_000, stored = undefined as string | undefined } = {}) {
  const time = simulatedTime();
  const done: string[] = [];
  const state = {
    head: ['one'] as string[],
    ...{ isFull: false, hasDeleted: false, lacksParts: false, hangs: false },
    damaged: (() => undefined) as () => void,
  };
  const save = async (what: string) => {
    if (state.hangs) await new Promise(() => undefined);
    if (state.isFull) throw new FixpointError('STORE_FULL');
    done.push(what);
  };
  const rows = createOpeningRows({
    head: {
      archives: {
        bytes,
        get lacksParts() {
          return state.lacksParts;
        },
        saveParts: async (_, max) => save(max === undefined ? 'parts' : 'parts, if small'),
        onDamagedParts: (fn) => {
          state.damaged = fn;
        },
      },
      get snapshot() {
        return { head: state.head as Cid[], root: 'root' as Cid, merged: [] } satisfies Snapshot;
      },
      get hasDeleted() {
        return state.hasDeleted;
      },
      first: stored === undefined ? undefined : { event: stored as Cid, root: 'root' as Cid, shards: [] },
      store: { write: async () => true },
      readers: { block: async () => new Uint8Array() },
    },
    time,
    load: async () => ({ writeFirstBlocks: async ({ snapshot }) => save(String(snapshot.head)) }),
  });
  return { rows, time, done, state };
}

describe('rows that make an open quick', () => {
  test('saves the rows five seconds after the last write, once for each head', async () => {
    const { rows, time, done, state } = rowsOf();
    rows.stirred('write');
    await time.pass(4000);
    rows.stirred('write');
    await time.pass(4900);
    expect(done).toEqual([]);
    await time.pass(1000);
    expect(done).toEqual(['one', 'parts']);
    rows.stirred('write');
    await time.pass(10_000);
    expect(done).toHaveLength(2);
    state.head = ['two'];
    rows.stirred('sync');
    await time.pass(10_000);
    expect(done.slice(2)).toEqual(['two', 'parts']);
  });

  test('saves the rows before a close, but not first blocks that are already stored', async () => {
    const fresh = rowsOf();
    await fresh.rows.saveAtClose();
    expect(fresh.done).toEqual(['one', 'parts, if small']);
    const known = rowsOf({ stored: 'one' });
    await known.rows.saveAtClose();
    expect(known.done).toEqual(['parts, if small']);
  });

  test('saves no first blocks of a small database, or while the head has several events', async () => {
    const small = rowsOf({ bytes: 99_999 });
    const forked = rowsOf();
    forked.state.head = ['one', 'two'];
    for (const { rows, time, done } of [small, forked]) {
      rows.stirred('write');
      await time.pass(10_000);
      expect(done).toEqual([]);
    }
  });

  test('[R10] saves the rows later if the disk is full', async () => {
    const { rows, time, done, state } = rowsOf();
    state.isFull = true;
    await rows.save();
    expect(done).toEqual([]);
    state.isFull = false;
    rows.stirred('write');
    await time.pass(10_000);
    expect(done).toEqual(['one', 'parts']);
  });

  test('[R10] saves nothing after a deletion, because the disk may be full', async () => {
    const { rows, time, done, state } = rowsOf();
    state.hasDeleted = true;
    rows.stirred('write');
    await time.pass(10_000);
    await rows.saveAtClose();
    expect(done).toEqual([]);
  });

  test('saves parts that are lacking, while the head has several events', async () => {
    const { rows, time, done, state } = rowsOf();
    state.head = ['one', 'two'];
    state.lacksParts = true;
    rows.stirred('sync');
    await time.pass(10_000);
    expect(done).toEqual(['parts']);
  });

  test('[R4] saves parts again after one was found to be damaged, without a write', async () => {
    const { time, done, state } = rowsOf({ stored: 'one' });
    state.lacksParts = true;
    state.damaged();
    await time.pass(10_000);
    expect(done).toEqual(['parts']);
  });

  test('[R9] waits two seconds at most before a close, if the store does not answer', async () => {
    const { rows, time, state } = rowsOf();
    state.hangs = true;
    const before = time.now();
    await time.run(rows.saveAtClose());
    expect(time.now() - before).toBe(2000);
  });

  test('saves nothing after the database was closed', async () => {
    const { rows, time, done } = rowsOf();
    rows.stirred('write');
    rows.stop();
    await time.pass(10_000);
    expect(done).toEqual([]);
  });
});
