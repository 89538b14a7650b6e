import { describe, expect, test } from 'vitest';
import { memoryKeyBag } from '../platform/memory-platform.ts';
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
  test('creates a key of 256 bits for a new database, and returns the same key at each open', async () => {
    const { open } = device();
    const first = (await open()).keys().current;
    expect(first.material.length).toBe(32);
    expect((await open({ hasContent: async () => true })).keys().current).toEqual(first);
  });

  test('creates only one key when two callers open a new database at the same time', async () => {
    const { open } = device();
    const [a, b] = await Promise.all([open(), open()]);
    expect(a?.keys().current).toEqual(b?.keys().current);
  });

  test('uses the key of another caller that creates the database at the same time', async () => {
    const { open } = device();
    const made: Awaited<ReturnType<typeof open>>[] = [];
    const hasContent = async () => {
      made.push(await open());
      return true;
    };
    expect((await open({ hasContent })).keys().current).toEqual(made[0]?.keys().current);
  });

  test('rejects a database that has content but no keys, and creates no key', async () => {
    const { open, keys } = device();
    await expect(open({ hasContent: async () => true })).rejects.toThrow(code('MISSING_KEYBAG'));
    expect(keys.size).toBe(0);
  });

  test('seals with a rotated key, and opens with earlier keys', async () => {
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

  test('keeps the keys of callers that learn and rotate at the same time, and finds them with `refresh`', async () => {
    const { open } = device();
    const [a, b] = [await open(), await open()];
    await Promise.all([a.learn([dataKey(material(1))]), b.learn([dataKey(material(2))])]);
    const made = await b.rotate();
    await a.refresh();
    expect(a.keys().current).toEqual(made);
    expect([...a.keys().all.keys()].sort()).toEqual([...(await open()).keys().all.keys()].sort());
    expect(a.keys().all.size).toBe(4);
  });

  test('forgets a key, but never the current one', async () => {
    const { open } = device();
    const keys = await open();
    const before = keys.keys().current;
    const made = await keys.rotate();
    await keys.forget(new Set([before.id, made.id]));
    expect([...keys.keys().all.keys()]).toEqual([made.id]);
    expect([...(await open()).keys().all.keys()]).toEqual([made.id]);
  });

  test('does not write to the bag if all keys are known', async () => {
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

  test('[R9] restores a key that another tab forgot, because this tab may just have sealed data with it', async () => {
    const { open } = device();
    const [awake, asleep] = [await open(), await open()];
    const before = asleep.keys().current;
    const made = await awake.rotate();
    await awake.forget(new Set([before.id]));
    await asleep.refresh();
    expect(asleep.keys().current).toEqual(made);
    expect([...(await open()).keys().all.keys()]).toEqual([made.id, before.id]);
  });

  test('reports an entry without a key', async () => {
    const { open, keys } = device();
    const opened = await open();
    keys.set('db', []);
    await expect(opened.refresh()).rejects.toThrow(code('MISSING_STORE_KEY'));
  });
});
