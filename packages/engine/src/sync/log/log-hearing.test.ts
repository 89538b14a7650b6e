/** Tests the rows in which a device remembers when it heard of the members of a log (N3). */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import { createHearing } from './log-news.ts';

const W = { key: '02aa', entry: 'e1' };
const X = { key: '02bb', entry: 'e1' };
const greeting = (seat: typeof W, at: number) => ({ seat, at, heads: [] });
const news = (claimedMs: number, receivedMs: number) => ({ claimedMs, receivedMs });

function place() {
  const rows = new Map<string, Uint8Array>();
  const saved: (readonly string[])[] = [];
  const fault: { next?: Error } = {};
  const save = async (changes: readonly StoreChange[]) => {
    const { next } = fault;
    delete fault.next;
    if (next !== undefined) throw next;
    saved.push(changes.map(({ key }) => key));
    for (const { key, bytes } of changes) if (bytes !== undefined) rows.set(key, bytes);
  };
  const open = () => createHearing({ prefix: 'r/', rows: new Map(rows), save });
  return { rows, saved, fault, open };
}

describe('the time at which a member was heard', () => {
  test('[N3] is the earlier one of the claimed time and the arrival, and never falls', async () => {
    const { open } = place();
    const hearing = open();
    expect(hearing.of(W)).toBeUndefined();
    await hearing.note([[W, news(5, 10)]], []);
    expect(hearing.of(W)).toBe(5);
    await hearing.note([[W, news(99, 12)]], []);
    expect(hearing.of(W)).toBe(12);
    await hearing.note([[W, news(3, 20)]], []);
    expect(hearing.of(W)).toBe(12);
    await hearing.note(
      [
        [W, news(13, 20)],
        [W, news(15, 20)],
        [X, news(1, 20)],
      ],
      [],
    );
    expect([hearing.of(W), hearing.of(X)]).toEqual([15, 1]);
  });

  test('[N3] is the same after a restart, and is stored only if it changes', async () => {
    const { open, saved } = place();
    const hearing = open();
    await hearing.note([[W, news(5, 10)]], [greeting(W, 5)]);
    await hearing.note([[W, news(4, 10)]], [greeting(W, 4)]);
    await hearing.note([], []);
    expect(saved).toEqual([['r/log-heard/e1/02aa']]);
    expect([open().of(W), open().greetedAt(W), open().of(X), open().greetedAt(X)]).toEqual([
      5,
      5,
      undefined,
      0,
    ]);
  });

  test('[N2] knows which greetings are newer than the last one of the same seat', async () => {
    const { open } = place();
    const hearing = open();
    expect([hearing.isNew(greeting(W, 1)), hearing.isNew(greeting(W, 0))]).toEqual([true, false]);
    await hearing.note([], [greeting(W, 7), greeting(W, 6)]);
    expect([6, 7, 8].map((at) => hearing.isNew(greeting(W, at)))).toEqual([false, false, true]);
    expect(hearing.isNew(greeting(X, 1))).toBe(true);
    // Another seat of the same key is another one.
    expect(hearing.isNew(greeting({ ...W, entry: 'e2' }, 1))).toBe(true);
  });

  test('knows nothing more if storing fails, and stores it at the next try', async () => {
    const { open, fault } = place();
    const hearing = open();
    fault.next = new Error('full');
    await expect(hearing.note([[W, news(5, 10)]], [greeting(W, 5)])).rejects.toThrow('full');
    expect([hearing.of(W), hearing.greetedAt(W)]).toEqual([undefined, 0]);
    await hearing.note([[W, news(5, 10)]], [greeting(W, 5)]);
    expect([open().of(W), open().greetedAt(W)]).toEqual([5, 5]);
  });

  test('rejects a damaged row', () => {
    const { rows, open } = place();
    rows.set('r/log-heard/e1/02aa', utf8('no list'));
    expect(open).toThrow(expect.objectContaining({ code: 'CORRUPT' }));
  });
});

describe('the age of a data key', () => {
  test('counts from its arrival if its author claims a later time', async () => {
    const { open } = place();
    expect(await open().keySince('k1', 5000, 1000)).toBe(1000);
    expect(await open().keySince('k1', 5000, 9000)).toBe(1000);
    expect(await open().keySince('k2', 8000, 9000)).toBe(8000);
  });

  test('is stored once for each key', async () => {
    const { open, saved } = place();
    const hearing = open();
    for (const key of ['k1', 'k1', 'k2', 'k2']) await hearing.keySince(key, 1, 2);
    expect(saved).toEqual([['r/log-key-heard'], ['r/log-key-heard']]);
    await open().keySince('k2', 1, 2);
    expect(saved).toHaveLength(2);
  });
});

test('[N3] equals the newest news of each seat, in any order and with restarts in between', async () => {
  const one = fc.record({
    isOfX: fc.boolean(),
    claimedMs: fc.nat({ max: 50 }),
    receivedMs: fc.nat({ max: 50 }),
    isRestarted: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(one, { maxLength: 20 }), async (all) => {
      const { open } = place();
      let hearing = open();
      for (const { isOfX, isRestarted, ...given } of all) {
        await hearing.note([[isOfX ? X : W, given]], []);
        if (isRestarted) hearing = open();
      }
      for (const [seat, isSeat] of [
        [X, true],
        [W, false],
      ] as const) {
        const times = all
          .filter(({ isOfX }) => isOfX === isSeat)
          .map(({ claimedMs, receivedMs }) => Math.min(claimedMs, receivedMs))
          .sort((a, b) => b - a);
        // A time of 0 is the same as none.
        expect(hearing.of(seat) ?? 0).toBe(times[0] ?? 0);
      }
    }),
    { numRuns: 50 },
  );
});
