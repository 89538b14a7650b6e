import { describe, expect, test } from 'vitest';
import { utf8 } from '../../base/bytes.ts';
import { sortHead } from '../../clock/event.ts';
import { openDatabaseKeys } from '../../crypto/database-keys.ts';
import { memoryKeyBag } from '../../platform/memory-platform.ts';
import { memoryStore } from '../../platform/memory-store.ts';
import type { ByteStore } from '../../ports/byte-store.ts';
import type { KeyMaterials } from '../../ports/key-bag.ts';
import { sealRows } from '../../store/sealed-rows.ts';
import { seededRandom } from '../../testing/seeded-random.ts';
import { simulatedTime } from '../../testing/simulated-time.ts';
import { code, operation } from '../head.fixture.ts';
import { createRowAppender } from './append-row.ts';
import { decodePending, numberOf } from './pending-rows.ts';

const NO_HEAD = sortHead([]);
const random = seededRandom(4);

/** Opens the rows of one tab. Each tab has its own clock. */
function appenderOf(store: ByteStore, writer: string, startMs = 1_700_000_000_000) {
  const appender = createRowAppender({ store, writer, time: simulatedTime(startMs) });
  return async (id: string) => numberOf((await appender.append([operation(id, 1)], NO_HEAD)).row.key);
}

describe('rows of several tabs', () => {
  test('[R9] keeps the order in which they were stored, whatever the clocks of the tabs say', async () => {
    const values = new Map<string, Uint8Array>();
    const one = appenderOf(memoryStore(values), 'z', 2e12);
    const two = appenderOf(memoryStore(values), 'a', 1e12);
    const numbers: number[] = [];
    for (const append of [one, one, two, one, two, two, two, one]) numbers.push(await append('x'));
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    for (const key of [...values.keys()].filter((name) => name.startsWith('pending/'))) values.delete(key);
    expect(await appenderOf(memoryStore(values), 'b')('x')).toBe(9);
  });

  test('[R9] gives different numbers to first rows that are stored at the same time', async () => {
    const values = new Map<string, Uint8Array>();
    const tabs = ['a', 'b', 'c'].map((name) => appenderOf(memoryStore(values), name));
    const numbers = await Promise.all(tabs.flatMap((append) => [append('x')]));
    expect(numbers.sort()).toEqual([1, 2, 3]);
  });

  test('writes each row once and reads nothing, while no other tab stores rows', async () => {
    const calls: string[] = [];
    const inner = memoryStore();
    const append = appenderOf(
      {
        ...inner,
        read: (key) => {
          calls.push('read');
          return inner.read(key);
        },
        write: (...given) => {
          calls.push('write');
          return inner.write(...given);
        },
      },
      'a',
    );
    await append('x');
    calls.length = 0;
    for (let n = 0; n < 3; n++) await append('x');
    expect(calls).toEqual(['write', 'write', 'write']);
  });

  test('[R4] rejects a row if the last number is damaged', async () => {
    const append = appenderOf(memoryStore(new Map([['last-pending', utf8('x')]])), 'a');
    await expect(append('x')).rejects.toThrow(code('CORRUPT'));
  });
});

describe('rows of a tab that missed two rotations of the key', () => {
  /** Opens tabs over one store and one key bag. */
  function place() {
    const [values, bag] = [new Map<string, Uint8Array>(), new Map<string, KeyMaterials>()];
    return async () => {
      const hasContent = async () => false;
      const keys = await openDatabaseKeys('db', { bag: memoryKeyBag(bag), random, hasContent });
      return { keys, store: sealRows(memoryStore(values), keys, random) };
    };
  }

  test.each([
    ['first', false],
    ['next', true],
  ])('[R9] stores the %s row of the tab so that it can be read after the tab stopped', async (_, isLater) => {
    const tab = place();
    const [one, two] = [await tab(), await tab()];
    const append = appenderOf(one.store, 'a');
    await one.store.write([{ key: 'head', bytes: utf8('1') }]);
    if (isLater) await append('before');
    const forgotten = one.keys.keys().current.id;
    for (let n = 0; n < 2; n++) await two.keys.rotate();
    for (const [key, bytes] of await two.store.readPrefix('')) await two.store.write([{ key, bytes }]);
    await two.keys.forget(new Set([forgotten]));
    await append('later');
    // The tab stops here. When it noticed the new key, it may have restored the forgotten one.
    await two.keys.forget(new Set([forgotten]));
    const rows = await (await tab()).store.readPrefix('pending/');
    const ids = [...rows].flatMap(([key, bytes]) =>
      decodePending(key, bytes).operations.map((one) => one.key),
    );
    expect(ids).toEqual(isLater ? ['before', 'later'] : ['later']);
  });
});
