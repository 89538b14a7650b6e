import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { Lru } from './lru.ts';

describe('Lru', () => {
  test('returns the last value of a key, or nothing; keeps values that are read often', () => {
    const steps = fc.array(fc.record({ key: fc.nat(20), act: fc.constantFrom('set', 'get', 'delete') }), {
      maxLength: 200,
    });
    fc.assert(
      fc.property(steps, (given) => {
        const lru = new Lru<number, number>(10);
        const model = new Map<number, number>();
        lru.set(-1, -1);
        given.forEach(({ key, act }, at) => {
          if (act === 'set') {
            lru.set(key, at);
            model.set(key, at);
          } else if (act === 'delete') {
            lru.delete(key);
            model.delete(key);
          }
          expect([undefined, model.get(key)]).toContain(lru.get(key));
          expect(lru.get(-1)).toBe(-1);
        });
      }),
    );
  });

  test('keeps entries with about half the maximum weight or more, and never more than the maximum', () => {
    const lru = new Lru<number, number>(100);
    for (let n = 0; n < 1000; n++) lru.set(n, n, 1 + (n % 7));
    const held = Array.from({ length: 1000 }, (_, n) => n).filter((n) => lru.get(n) !== undefined);
    const weight = held.reduce((sum, n) => sum + 1 + (n % 7), 0);
    expect(weight).toBeLessThanOrEqual(100);
    expect(weight).toBeGreaterThanOrEqual(43);
  });

  test('keeps one entry that is heavier than the limit until others are set', () => {
    const lru = new Lru<string, number>(10);
    lru.set('heavy', 1, 100);
    expect(lru.get('heavy')).toBe(1);
    lru.set('a', 2);
    lru.set('b', 3, 10);
    expect([lru.get('heavy'), lru.get('b')]).toEqual([undefined, 3]);
  });

  test('clears all entries', () => {
    const lru = new Lru<string, number>(10);
    lru.set('a', 1);
    lru.clear();
    expect(lru.get('a')).toBeUndefined();
  });
});
