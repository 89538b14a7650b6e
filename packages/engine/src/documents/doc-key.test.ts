import { describe, expect, test } from 'vitest';
import { parseDocKey } from './doc-key.ts';
import { newDocId } from './new-id.ts';

describe('parseDocKey', () => {
  test.each(['a', ' ', '~', '__proto__', 'k'.repeat(4096), '{"a":[1]}', '../..', 'a/b'])(
    '%j is an id',
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
  ])('%j is refused: %s', (id, code) => {
    expect(() => parseDocKey(id)).toThrow(expect.objectContaining({ code }));
  });
});

describe('newDocId', () => {
  const random = Uint8Array.from({ length: 10 }, (_, n) => n * 25);

  test('has the shape of the format, and begins with the time', () => {
    expect(newDocId(0x1234567890ab, random)).toMatch(
      /^12345678-90ab-7[0-9a-f]{3}-[bf][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  test('ids sort by the time of their making', () => {
    const times = [0, 1, 255, 256, 1_763_000_000_000, 1_763_000_000_001, 2 ** 47];
    const ids = times.map((time) => newDocId(time, random));
    expect([...ids].sort()).toEqual(ids);
  });

  test('uses all random bytes', () => {
    const ids = new Set<string>();
    for (let at = 0; at < 10; at++)
      ids.add(
        newDocId(
          1,
          random.map((byte, index) => (index === at ? byte ^ 0xf0 : byte)),
        ),
      );
    expect(ids.size).toBe(10);
  });
});
