/** Tests the contracts of `ports/byte-store.ts` and `ports/key-bag.ts` with Vitest. */
import { describe, expect, test } from 'vitest';
import type { KeyBag } from '../ports/key-bag.ts';
import { byteStoreCases, type StorePlace } from './byte-store-cases.ts';

/** Tests one adapter of `ByteStore`. */
export function byteStoreSuite(adapter: string, newPlace: () => Promise<StorePlace>): void {
  describe(`ByteStore: ${adapter}`, () => {
    for (const { name, run } of byteStoreCases(newPlace)) test(name, run);
  });
}

const key = (fill: number, length = 32): Uint8Array => new Uint8Array(length).fill(fill);

/**
 * Tests one adapter.
 * @param open returns a bag over the same place for each call with the same name
 */
export function keyBagSuite(name: string, open: (place: string) => KeyBag): void {
  let places = 0;
  const place = () => {
    places += 1;
    return `suite-${places}`;
  };

  describe(`contract of a key bag: ${name}`, () => {
    test('[K2, K3] returns keys in order from a reopened bag, and none for an unknown database', async () => {
      const at = place();
      expect(await open(at).load('db')).toEqual([]);
      await open(at).update('db', () => [key(1), key(2, 16)]);
      await open(at).update('other/./Ü', (keys) => [...keys, key(3)]);
      expect(await open(at).load('db')).toEqual([key(1), key(2, 16)]);
      expect(await open(at).load('other/./Ü')).toEqual([key(3)]);
    });

    test('[K1] keeps the keys that all concurrent writers added', async () => {
      const at = place();
      const fills = Array.from({ length: 12 }, (_, n) => n + 1);
      await Promise.all(fills.map((fill) => open(at).update('db', (keys) => [...keys, key(fill)])));
      const found = (await open(at).load('db')).map(([fill]) => fill ?? 0);
      expect(found.sort((a, b) => a - b)).toEqual(fills);
    });

    test('[K1] lets only one of several concurrent writers create the first key', async () => {
      const at = place();
      const made = await Promise.all(
        [1, 2, 3, 4].map((fill) => open(at).update('db', (keys) => (keys.length > 0 ? keys : [key(fill)]))),
      );
      for (const keys of made) expect(keys).toEqual(made[0]);
    });

    test('[K3] changes nothing when a change fails', async () => {
      const at = place();
      await open(at).update('db', () => [key(1)]);
      const failing = open(at).update('db', () => {
        throw new Error('no');
      });
      await expect(failing).rejects.toThrow();
      expect(await open(at).load('db')).toEqual([key(1)]);
    });
  });
}
