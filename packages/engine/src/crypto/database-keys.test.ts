import { describe, expect, test } from 'vitest';
import { memoryKeyBag } from '../platform/memory-key-bag.ts';
import type { KeyMaterials } from '../ports/key-bag.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { type DatabaseKeysOptions, openDatabaseKeys } from './database-keys.ts';
import { dataKey } from './keys.ts';

const random = seededRandom(7);
const material = (fill: number) => new Uint8Array(32).fill(fill);
function device(keys = new Map<string, KeyMaterials>()) {
  const bag = memoryKeyBag(keys);
  const open = (options: Partial<DatabaseKeysOptions> = {}) =>
    openDatabaseKeys('db', { bag, random, hasContent: async () => false, ...options });
  return { open, keys };
}
const code = (name: string) => expect.objectContaining({ code: name });

describe('keys of a database', () => {
  test('a new database gets a key of 256 bits, the same at each open', async () => {
    const { open } = device();
    const first = (await open()).keys().current;
    expect(first.material.length).toBe(32);
    expect((await open({ hasContent: async () => true })).keys().current).toEqual(first);
  });

  test('two that open a new database at once seal with one key', async () => {
    const { open } = device();
    const [a, b] = await Promise.all([open(), open()]);
    expect(a?.keys().current).toEqual(b?.keys().current);
  });

  test('a database that another one makes during the opening is opened with the key of that one', async () => {
    const { open } = device();
    const made: Awaited<ReturnType<typeof open>>[] = [];
    const hasContent = async () => {
      made.push(await open());
      return true;
    };
    expect((await open({ hasContent })).keys().current).toEqual(made[0]?.keys().current);
  });

  test('content without its keys is an error, and no key is made', async () => {
    const { open, keys } = device();
    await expect(open({ hasContent: async () => true })).rejects.toThrow(code('MISSING_KEYBAG'));
    expect(keys.size).toBe(0);
  });

  test('a rotated key seals from now on, the others go on opening', async () => {
    const { open } = device();
    const keys = await open();
    const before = keys.keys().current;
    const made = await keys.rotate();
    expect(made.id).not.toBe(before.id);
    expect(keys.keys().current).toEqual(made);
    const again = (await open()).keys();
    expect(again.current).toEqual(made);
    expect([...again.all.keys()]).toEqual([made.id, before.id]);
  });

  test('what others learn and rotate at the same time is kept, and found by refresh', async () => {
    const { open } = device();
    const [a, b] = [await open(), await open()];
    await Promise.all([a.learn([dataKey(material(1))]), b.learn([dataKey(material(2))])]);
    const made = await b.rotate();
    await a.refresh();
    expect(a.keys().current).toEqual(made);
    expect([...a.keys().all.keys()].sort()).toEqual([...(await open()).keys().all.keys()].sort());
    expect(a.keys().all.size).toBe(4);
  });

  test('a forgotten key is gone, the current one never', async () => {
    const { open } = device();
    const keys = await open();
    const before = keys.keys().current;
    const made = await keys.rotate();
    await keys.forget(new Set([before.id, made.id]));
    expect([...keys.keys().all.keys()]).toEqual([made.id]);
    expect([...(await open()).keys().all.keys()]).toEqual([made.id]);
  });

  test('what is known already is not learned again: the bag is not written', async () => {
    const bag = memoryKeyBag(new Map());
    let writes = 0;
    const counting = {
      ...bag,
      update: (...given: Parameters<typeof bag.update>) => {
        writes++;
        return bag.update(...given);
      },
    };
    const keys = await openDatabaseKeys('db', { bag: counting, random, hasContent: async () => false });
    await keys.learn([dataKey(material(1)), keys.keys().current]);
    expect([writes, keys.keys().all.size]).toEqual([2, 2]);
    await keys.learn([dataKey(material(1))]);
    expect([writes, keys.keys().all.size]).toEqual([2, 2]);
  });

  test('[R9] a key that another one forgot is put back by whoever may just have sealed with it', async () => {
    const { open } = device();
    const [awake, asleep] = [await open(), await open()];
    const before = asleep.keys().current;
    const made = await awake.rotate();
    await awake.forget(new Set([before.id]));
    await asleep.refresh();
    expect(asleep.keys().current).toEqual(made);
    expect([...(await open()).keys().all.keys()]).toEqual([made.id, before.id]);
  });

  test('an entry without a key is said', async () => {
    const { open, keys } = device();
    const opened = await open();
    keys.set('db', []);
    await expect(opened.refresh()).rejects.toThrow(code('MISSING_STORE_KEY'));
  });
});
