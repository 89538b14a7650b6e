import { describe, expect, test } from 'vitest';
import type { ObjectName } from '../../objects/object-name.ts';
import { createPresence, objectOfName } from './presence.ts';

const ID = { tenant: 't', ledger: 'l' };

describe('the name of an object in a ledger', () => {
  test('refers to an archive, an archive of an index, or a file', () => {
    expect(objectOfName(ID, 'car/bafy')).toEqual({ ...ID, store: 'car', key: 'bafy' });
    expect(objectOfName(ID, 'car.by-name/bafy')).toEqual({
      ...ID,
      store: 'car',
      index: 'by-name',
      key: 'bafy',
    });
    expect(objectOfName(ID, 'file/s0')).toEqual({ ...ID, store: 'file', key: 's0' });
  });

  test.each([
    '',
    'car',
    'car/',
    'meta/main',
    'wal/x',
    'car/..',
    'car/.',
    'car/a/b',
    'car/a b',
    `car/${'x'.repeat(257)}`,
  ])('is invalid when it is %j', (name) => expect(objectOfName(ID, name)).toBeUndefined());
});

describe('presence of objects', () => {
  function opened() {
    const stored = new Set<string>();
    const asked: string[] = [];
    const clock = { ms: 0 };
    const has = async ({ ledger, store, key }: ObjectName) => {
      asked.push(`${ledger}/${store}/${key}`);
      return stored.has(key);
    };
    const presence = createPresence({ has }, () => clock.ms);
    const missing = async (names: readonly string[], ageMs = 1000, id = ID) => [
      ...(await presence.missing(id, names, ageMs)),
    ];
    return { stored, asked, clock, presence, missing };
  }

  test('returns the missing objects, and asks the store for each name once', async () => {
    const { stored, asked, missing } = opened();
    stored.add('a');
    expect(await missing(['car/a', 'car/b', 'car/a'])).toEqual(['car/b']);
    expect(asked.toSorted()).toEqual(['l/car/a', 'l/car/b']);
  });

  test('caches that an object is present, for as long as the caller allows, but never that it is missing', async () => {
    const { stored, asked, clock, missing } = opened();
    stored.add('a');
    await missing(['car/a', 'car/b']);
    stored.add('b');
    clock.ms = 999;
    expect(await missing(['car/a', 'car/b'])).toEqual([]);
    expect(asked).toHaveLength(3);
    await missing(['car/a'], 500);
    expect(asked).toHaveLength(4);
    await missing(['car/a'], 0);
    expect(asked).toHaveLength(5);
  });

  test('asks the store again for a forgotten object, and after the clock was set back', async () => {
    const { stored, asked, clock, presence, missing } = opened();
    stored.add('a');
    clock.ms = 5000;
    await missing(['car/a']);
    presence.forget(ID, 'car/a');
    await missing(['car/a']);
    clock.ms = 4000;
    await missing(['car/a']);
    expect(asked).toHaveLength(3);
  });

  test('caches presence separately for each ledger', async () => {
    const { stored, asked, missing } = opened();
    stored.add('a');
    await missing(['car/a']);
    await missing(['car/a'], 1000, { ...ID, ledger: 'other' });
    expect(asked).toEqual(['l/car/a', 'other/car/a']);
  });

  test('counts a name that no object can have as missing, without asking the store', async () => {
    const { asked, missing } = opened();
    expect(await missing(['meta/main', 'car/..'])).toEqual(expect.arrayContaining(['meta/main', 'car/..']));
    expect(asked).toEqual([]);
  });

  test('fails when the store does not answer', async () => {
    const has = () => Promise.reject(new Error('no answer'));
    const presence = createPresence({ has }, () => 0);
    await expect(presence.missing(ID, ['car/a'], 0)).rejects.toThrow('no answer');
  });
});
