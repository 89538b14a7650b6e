import { FixpointError } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import type { Guard, StoreChange } from '../ports/byte-store.ts';
import { memoryStore } from './memory-store.ts';
import { createReserves, withReserve } from './reserve.ts';

test('reserves space again only after the work that uses the released space has finished', async () => {
  const steps: string[] = [];
  const { forDeletes } = createReserves(() => ({
    take: async () => {
      steps.push('take');
      return Number.POSITIVE_INFINITY;
    },
    giveUp: async () => void steps.push('give up'),
  }));
  let attempt = 0;
  const freed = forDeletes.spend(async () => {
    attempt += 1;
    if (attempt === 1) throw new FixpointError('STORE_FULL');
    for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    steps.push('freed');
  });
  while (!steps.includes('give up')) await Promise.resolve();
  await Promise.all([freed, forDeletes.keep(1)]);
  expect(steps).toEqual(['give up', 'freed', 'take']);
});

test.each([
  ['a delete', 'later', ['forDeletes']],
  ['a commit of pending writes', 'pending', ['forPending']],
  ['a compaction', 'now', ['forPending', 'forDeletes', 'forCompaction']],
  ['any other write', undefined, []],
] as const)('[R10] gives up only the reserve of %s on a full disk', async (_, frees, expected) => {
  const released: string[] = [];
  const reserves = createReserves((kind) => ({
    take: async () => Number.POSITIVE_INFINITY,
    giveUp: async () => void released.push(kind),
  }));
  const full = new FixpointError('STORE_FULL');
  const store = withReserve({ ...memoryStore(), write: () => Promise.reject(full) }, reserves);
  const guard: Guard = { key: 'head', bytes: undefined, frees };
  await expect(store.write([], guard)).rejects.toBe(full);
  expect([...new Set(released)]).toEqual(expected);
});

/** Creates reserves that list which of them were taken, unless there is no space for one. */
function takenReserves() {
  const state = { taken: [] as string[], full: undefined as string | undefined };
  const reserves = createReserves((kind) => ({
    take: async () => {
      if (kind === state.full) throw new FixpointError('STORE_FULL');
      state.taken.push(kind);
      return Number.POSITIVE_INFINITY;
    },
    giveUp: async () => undefined,
  }));
  return { state, reserves };
}

const row = (key: string, isPending?: true): StoreChange => ({
  key,
  bytes: Uint8Array.of(1),
  ...(isPending && { isPending }),
});

test('reserves space for a commit of pending writes once such a write is stored', async () => {
  const { state, reserves } = takenReserves();
  const store = withReserve(memoryStore(), reserves);
  await store.write([row('a')]);
  expect(state.taken).toEqual(['forCompaction', 'forDeletes']);
  await store.write([row('b', true)]);
  expect(state.taken).toEqual(['forCompaction', 'forDeletes', 'forPending']);
});

test('[R10] rejects other writes while a commit of pending writes uses that space', async () => {
  const { state, reserves } = takenReserves();
  const below = memoryStore();
  let failures = 0;
  const store = withReserve(
    {
      ...below,
      write: (changes, guard) => {
        if (guard?.frees !== 'pending' || failures > 0) return below.write(changes, guard);
        failures += 1;
        return Promise.reject(new FixpointError('STORE_FULL'));
      },
    },
    reserves,
  );
  await store.write([row('pending/1', true)]);
  await store.write([row('head')], { key: 'head', bytes: undefined, frees: 'pending' });
  expect(failures).toBe(1);
  state.full = 'forPending';
  await expect(store.write([row('a')])).rejects.toMatchObject({ code: 'STORE_FULL' });
  state.full = undefined;
  await store.write([row('a')]);
});

/** Returns a promise, and the function that resolves it. */
function gate(): [Promise<void>, () => void] {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return [opened, () => open()];
}

/**
 * Creates reserves that are enough for ten more bytes each time, and that take space four bytes
 * before. While `hold` is set, taking space doesn't end.
 */
function stepwise() {
  const state = { log: [] as string[], hold: undefined as Promise<void> | undefined, isFull: false };
  const reserves = createReserves((kind) => ({
    take: async (written) => {
      state.log.push(`${kind}: take for ${written}`);
      await state.hold;
      if (state.isFull) throw new FixpointError('STORE_FULL');
      return written + 10;
    },
    giveUp: async () => void state.log.push(`${kind}: give up`),
    aheadBytes: 4,
  }));
  const holdTakes = () => {
    const [held, goOn] = gate();
    state.hold = held;
    return () => {
      state.hold = undefined;
      goOn();
    };
  };
  return { state, reserves, holdTakes };
}

async function turns(): Promise<void> {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
}

/** Returns work that finds the disk full at first, and then notes in the log that it was done. */
function fullAtFirst(log: string[]) {
  let attempts = 0;
  return async () => {
    attempts += 1;
    if (attempts === 1) throw new FixpointError('STORE_FULL');
    log.push('freed');
  };
}

describe('space that is taken ahead', () => {
  test('is taken once a reserve is nearly used, while writes continue', async () => {
    const { state, reserves, holdTakes } = stepwise();
    const { forDeletes } = reserves;
    await forDeletes.keep(5);
    forDeletes.takeAhead();
    expect(state.log).toEqual(['forDeletes: take for 5']);
    await forDeletes.keep(7);
    const goOn = holdTakes();
    forDeletes.takeAhead();
    expect(state.log).toEqual(['forDeletes: take for 5', 'forDeletes: take for 16']);
    await forDeletes.keep(3);
    let isKept = false;
    const beyond = forDeletes.keep(4).then(() => {
      isKept = true;
    });
    await turns();
    expect(isKept).toBe(false);
    goOn();
    await beyond;
    expect(state.log).toHaveLength(2);
  });

  test('[R10] is not tried again at the same size, and the write that needs it is rejected', async () => {
    const { state, reserves } = stepwise();
    const { forDeletes } = reserves;
    await forDeletes.keep(5);
    await forDeletes.keep(7);
    state.isFull = true;
    for (let time = 0; time < 3; time++) {
      forDeletes.takeAhead();
      await turns();
    }
    expect(state.log).toEqual(['forDeletes: take for 5', 'forDeletes: take for 16']);
    await forDeletes.keep(3);
    await expect(forDeletes.keep(4)).rejects.toMatchObject({ code: 'STORE_FULL' });
  });

  test('[R10] is not taken for a reserve that was released', async () => {
    const { state, reserves } = stepwise();
    const { forDeletes } = reserves;
    forDeletes.takeAhead();
    await forDeletes.keep(12);
    await forDeletes.keep(9);
    forDeletes.takeAhead();
    await turns();
    await forDeletes.spend(fullAtFirst(state.log));
    forDeletes.takeAhead();
    expect(state.log).toEqual([
      'forDeletes: take for 12',
      'forDeletes: take for 25',
      'forDeletes: give up',
      'freed',
    ]);
  });

  test('is not taken while a write takes space', async () => {
    const { state, reserves, holdTakes } = stepwise();
    const { forDeletes } = reserves;
    await forDeletes.keep(5);
    const goOn = holdTakes();
    const kept = forDeletes.keep(20);
    forDeletes.takeAhead();
    goOn();
    await kept;
    expect(state.log).toEqual(['forDeletes: take for 5', 'forDeletes: take for 25']);
  });

  test('[R10] is tried again by a write that waited for an attempt that failed', async () => {
    const { state, reserves, holdTakes } = stepwise();
    const { forDeletes } = reserves;
    await forDeletes.keep(5);
    await forDeletes.keep(7);
    state.isFull = true;
    const goOn = holdTakes();
    forDeletes.takeAhead();
    const kept = forDeletes.keep(4);
    await turns();
    goOn();
    await turns();
    await expect(kept).rejects.toMatchObject({ code: 'STORE_FULL' });
    expect(state.log.slice(1)).toEqual(['forDeletes: take for 16', 'forDeletes: take for 16']);
  });

  test('[R10] is all taken before any reserve is released', async () => {
    const { state, reserves, holdTakes } = stepwise();
    await Promise.all([reserves.forDeletes.keep(5), reserves.forCompaction.keep(12)]);
    await reserves.forCompaction.keep(1);
    const goOn = holdTakes();
    state.log.length = 0;
    await reserves.forCompaction.keep(7);
    reserves.forCompaction.takeAhead();
    const freed = reserves.forDeletes.spend(fullAtFirst(state.log));
    await turns();
    expect(state.log).toEqual(['forCompaction: take for 24']);
    goOn();
    await freed;
    expect(state.log.slice(1)).toEqual(['forDeletes: give up', 'freed']);
  });

  test('[R10] is not taken while any reserve is in use, nor is space that a write needs', async () => {
    const { state, reserves } = stepwise();
    const { forDeletes, forCompaction } = reserves;
    await Promise.all([forDeletes.keep(5), forCompaction.keep(5)]);
    await forCompaction.keep(8);
    state.log.length = 0;
    const [opened, open] = gate();
    let attempts = 0;
    const freed = forDeletes.spend(async () => {
      attempts += 1;
      if (attempts === 1) throw new FixpointError('STORE_FULL');
      await opened;
      state.log.push('freed');
    });
    await turns();
    forCompaction.takeAhead();
    const enough = forCompaction.keep(1).then(() => state.log.push('write'));
    const kept = forCompaction.keep(8);
    await turns();
    expect(state.log).toEqual(['forDeletes: give up']);
    open();
    await Promise.all([freed, enough, kept]);
    expect(state.log[1]).toBe('freed');
    expect(state.log.slice(2).sort()).toEqual(['forCompaction: take for 22', 'write']);
  });

  test('[R10] is taken for a store only after all reserves were taken', async () => {
    const { state, reserves } = stepwise();
    const store = withReserve(memoryStore(), reserves);
    await store.write([{ key: 'a', bytes: new Uint8Array(5) }]);
    await store.write([{ key: 'b', bytes: new Uint8Array(8) }]);
    expect(state.log).toEqual([
      'forCompaction: take for 5',
      'forDeletes: take for 5',
      'forCompaction: take for 17',
      'forDeletes: take for 17',
    ]);
  });
});

test('takes no space for a write after the close', async () => {
  const { state, reserves } = takenReserves();
  const closed = new FixpointError('DATABASE_CLOSED');
  const store = withReserve({ ...memoryStore(), write: () => Promise.reject(closed) }, reserves);
  await store.close();
  await expect(store.write([row('a')])).rejects.toBe(closed);
  expect(state.taken).toEqual([]);
});

test('takes no space ahead for a write that runs during the close', async () => {
  const { state, reserves } = stepwise();
  const store = withReserve(memoryStore(), reserves);
  await store.write([{ key: 'a', bytes: new Uint8Array(8) }]);
  state.log.length = 0;
  const written = store.write([{ key: 'b', bytes: new Uint8Array(8) }]).catch(() => undefined);
  await store.close();
  await written;
  expect(state.log).toEqual([]);
});
