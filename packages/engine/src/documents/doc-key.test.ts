import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { long } from '../../tests/budget.fixture.ts';
import { parseDocKey } from './doc-key.ts';
import { DocIds } from './new-id.ts';

describe('parseDocKey', () => {
  test.each(['a', ' ', '~', '__proto__', 'k'.repeat(4096), '{"a":[1]}', '../..', 'a/b'])(
    'accepts %j as an id',
    (id) => {
      expect(parseDocKey(id)).toBe(id);
    },
  );

  test.each([
    ['', 'DOC_ID_REQUIRED'],
    [undefined, 'DOC_ID_REQUIRED'],
    [null, 'DOC_ID_REQUIRED'],
    [5, 'KEY_INVALID'],
    [{}, 'KEY_INVALID'],
    ['é', 'KEY_INVALID'],
    ['a\n', 'KEY_INVALID'],
    ['\0', 'KEY_INVALID'],
    ['\x7f', 'KEY_INVALID'],
    ['k'.repeat(4097), 'KEY_INVALID'],
  ])('rejects %j with %s', (id, code) => {
    expect(() => parseDocKey(id)).toThrow(expect.objectContaining({ code }));
  });
});

describe('new ids', () => {
  const random = Uint8Array.from({ length: 10 }, (_, n) => n * 25);
  const someRandom = fc.uint8Array({ minLength: 10, maxLength: 10 });
  const SHAPE = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[bf][0-9a-f]{3}-[0-9a-f]{12}$/;

  test('creates an id in the form of a UUID of version 7, which starts with the time', () => {
    const id = new DocIds().next(0x1234567890ab, random);
    expect(id).toMatch(SHAPE);
    expect(id.startsWith('12345678-90ab-')).toBe(true);
  });

  test('sorts ids in the order of their creation, whatever the clock does', () => {
    const someClock = fc.array(
      fc.tuple(fc.oneof(fc.nat(3), fc.nat(2 ** 40), fc.double({ min: 0, max: 9, noNaN: true })), someRandom),
      { maxLength: 200 },
    );
    fc.assert(
      fc.property(someClock, (readings) => {
        const ids = new DocIds();
        const made = readings.map(([now, bytes]) => ids.next(now, bytes));
        expect([...made].sort()).toEqual(made);
        expect(new Set(made).size).toBe(made.length);
        for (const id of made) expect(id).toMatch(SHAPE);
      }),
    );
  });

  test('sorts 100,000 ids of one millisecond, and keeps their times near that millisecond', long, () => {
    const ids = new DocIds();
    const made = Array.from({ length: 100_000 }, (_, n) =>
      ids.next(
        1000,
        random.map((byte) => byte + n),
      ),
    );
    expect([...made].sort()).toEqual(made);
    expect(Number.parseInt(made.at(-1)?.replace('-', '').slice(0, 12) ?? '', 16)).toBeLessThan(1000 + 50);
  });

  test('sorts ids of several processes by time', () => {
    const times = [0, 1, 255, 256, 1_763_000_000_000, 1_763_000_000_001, 2 ** 47];
    const made = times.map((time) => new DocIds().next(time, random));
    expect([...made].sort()).toEqual(made);
  });

  test('uses all random bytes', () => {
    const made = new Set<string>();
    for (let at = 0; at < 10; at++) {
      const changed = random.map((byte, index) => (index === at ? byte ^ 0xf0 : byte));
      made.add(new DocIds().next(1, changed));
    }
    expect(made.size).toBe(10);
  });
});
