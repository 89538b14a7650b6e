/** The contract of `ports/key-bag.ts`, for every adapter. */
import { describe, expect, test } from 'vitest';
import type { KeyBag } from '../ports/key-bag.ts';

const key = (fill: number, length = 32): Uint8Array => new Uint8Array(length).fill(fill);

/** @param open gives a bag over the same place each time it is called with the same name of one */
export function keyBagSuite(name: string, open: (place: string) => KeyBag): void {
  let places = 0;
  const place = () => {
    places += 1;
    return `suite-${places}`;
  };

  describe(`contract of a key bag: ${name}`, () => {
    test('[K2, K3] keys come back in their order, from a bag that is opened again; an unknown database has none', async () => {
      const at = place();
      expect(await open(at).load('db')).toEqual([]);
      await open(at).update('db', () => [key(1), key(2, 16)]);
      await open(at).update('other/./Ü', (keys) => [...keys, key(3)]);
      expect(await open(at).load('db')).toEqual([key(1), key(2, 16)]);
      expect(await open(at).load('other/./Ü')).toEqual([key(3)]);
    });

    test('[K1] writers at the same time all keep what they added', async () => {
      const at = place();
      const fills = Array.from({ length: 12 }, (_, n) => n + 1);
      await Promise.all(fills.map((fill) => open(at).update('db', (keys) => [...keys, key(fill)])));
      const found = (await open(at).load('db')).map(([fill]) => fill ?? 0);
      expect(found.sort((a, b) => a - b)).toEqual(fills);
    });

    test('[K1] of several that make the first key at the same time, one does', async () => {
      const at = place();
      const made = await Promise.all(
        [1, 2, 3, 4].map((fill) => open(at).update('db', (keys) => (keys.length > 0 ? keys : [key(fill)]))),
      );
      for (const keys of made) expect(keys).toEqual(made[0]);
    });

    test('[K3] a change that fails changes nothing', async () => {
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
