import type { KeyMaterials } from '../ports/key-bag.ts';
import { keyBagSuite } from '../testing/adapter-suites.ts';
import { memoryKeyBag } from './memory-platform.ts';

const places = new Map<string, Map<string, KeyMaterials>>();
keyBagSuite('memory', (place) => {
  const keys = places.get(place) ?? new Map<string, KeyMaterials>();
  places.set(place, keys);
  return memoryKeyBag(keys);
});
