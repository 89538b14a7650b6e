import { expect, test } from 'vitest';
import type { KeyMaterials } from '../../ports/key-bag.ts';
import { keyBagSuite } from '../../testing/adapter-suites.ts';
import { memoryKeyBag } from '../memory-platform.ts';
import { keysByStorage } from './keys-by-storage.ts';

const KEY = Uint8Array.of(1);

const places = new Map<string, Map<string, KeyMaterials>>();
keyBagSuite('by storage', (place) => {
  const keys = places.get(place) ?? new Map<string, KeyMaterials>();
  places.set(place, keys);
  return keysByStorage(memoryKeyBag(keys));
});

test('shares keys between names that map to one storage, and keeps keys of an earlier version when keys are added', async () => {
  const below = memoryKeyBag();
  const bag = keysByStorage(below);
  await below.update('my notes', () => [KEY]);
  expect(await bag.load('my notes')).toEqual([KEY]);
  const both = [Uint8Array.of(2), KEY];
  expect(await bag.update('my notes', (keys) => [Uint8Array.of(2), ...keys])).toEqual(both);
  expect(await bag.load('my_notes')).toEqual(both);
  expect(await bag.load('my notes')).toEqual(both);
  expect(await bag.load('other')).toEqual([]);
});
