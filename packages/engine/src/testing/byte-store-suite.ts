import { describe, expect, test } from 'vitest';
import type { ByteStore } from '../ports/byte-store.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

/** A place where a store can be opened repeatedly. */
export interface StorePlace {
  open(): Promise<ByteStore>;
}

type NewPlace = () => Promise<StorePlace>;

/** Tests the contract of {@link ByteStore}. Run these tests for your own adapter, too. */
export function byteStoreSuite(adapter: string, newPlace: NewPlace): void {
  describe(`ByteStore: ${adapter}`, () => {
    writing(newPlace);
    reading(newPlace);
    lasting(newPlace);
  });
}

function writing(newPlace: NewPlace): void {
  test('[B1] returns the value that was last written under a key', async () => {
    const store = await (await newPlace()).open();
    await store.write([{ key: 'k', bytes: bytes(1) }]);
    await store.write([{ key: 'k', bytes: bytes(2, 3) }]);
    expect(await store.read('k')).toEqual(bytes(2, 3));
    await store.close();
  });

  test('[B1] applies all changes of a write, including removals', async () => {
    const store = await (await newPlace()).open();
    await store.write([
      { key: 'a', bytes: bytes(1) },
      { key: 'b', bytes: bytes() },
    ]);
    await store.write([
      { key: 'a', bytes: undefined },
      { key: 'c', bytes: bytes(3) },
    ]);
    expect(await store.keys('')).toEqual(['b', 'c']);
    expect(await store.read('b')).toEqual(bytes());
    await store.close();
  });

  test('[B1] leaves everything unchanged when the condition of a write is not met', async () => {
    const store = await (await newPlace()).open();
    expect(await store.write([{ key: 'k', bytes: bytes(1) }], { key: 'k', bytes: undefined })).toBe(true);
    const change = { key: 'k', bytes: bytes(9) };
    expect(await store.write([change], { key: 'k', bytes: undefined })).toBe(false);
    expect(await store.write([change], { key: 'k', bytes: bytes(2) })).toBe(false);
    expect(await store.write([change], { key: 'other', bytes: bytes(1) })).toBe(false);
    expect(await store.read('k')).toEqual(bytes(1));
    expect(await store.write([change], { key: 'k', bytes: bytes(1) })).toBe(true);
    expect(await store.read('k')).toEqual(bytes(9));
    await store.close();
  });

  test('completes all concurrent writes', async () => {
    const store = await (await newPlace()).open();
    const keys = Array.from({ length: 50 }, (_, at) => `k/${String(at).padStart(2, '0')}`);
    await Promise.all(keys.map((key, at) => store.write([{ key, bytes: bytes(at) }])));
    expect(await store.keys('k/')).toEqual(keys);
    await store.close();
  });
}

function reading(newPlace: NewPlace): void {
  test('[B3] reads an absent key as undefined', async () => {
    const store = await (await newPlace()).open();
    expect(await store.read('absent')).toBeUndefined();
    expect(await store.keys('absent')).toEqual([]);
    await store.close();
  });

  test('[B4] returns for a part of a value nothing, or the same bytes that the whole value has there, even if the part extends beyond the end', async () => {
    const store = await (await newPlace()).open();
    const value = Uint8Array.from({ length: 100 }, (_, at) => at);
    await store.write([{ key: 'k', bytes: value }]);
    for (const [offset, length] of [
      [0, 100],
      [0, 1],
      [17, 30],
      [99, 1],
      [90, 20],
      [100, 5],
      [200, 5],
    ] as const)
      for (const key of ['k', 'absent']) {
        const expected = (await store.read(key))?.subarray(offset, offset + length);
        if (store.readPart === undefined) continue;
        expect([expected, undefined]).toContainEqual(await store.readPart(key, offset, length));
      }
    await store.close();
  });

  test('[B3] [B4] returns long archives and parts of them, also after a replacement by a shorter one and a removal', async () => {
    const store = await (await newPlace()).open();
    const key = 'car/long';
    const patternOf = (length: number) => Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) % 256);
    for (const [length, inParts] of [
      [800_001, true],
      [524_288, true],
      [500_000, false],
      [280_000, true],
      [262_144, true],
      [262_143, false],
      [3, false],
    ] as const) {
      const value = patternOf(length);
      await store.write([
        { key, bytes: value, inParts },
        { key: 'car/short', bytes: bytes(1) },
      ]);
      expect(Buffer.compare((await store.read(key)) ?? bytes(), value)).toBe(0);
      expect(await store.keys('car/')).toEqual([key, 'car/short']);
      expect(await store.keys('')).toEqual([key, 'car/short']);
      const rows = await store.readPrefix('car/');
      expect([...rows].map(([name, found]) => [name, found.length])).toEqual([
        [key, length],
        ['car/short', 1],
      ]);
      if (store.readPart === undefined || !inParts) continue;
      for (const [offset, count] of [
        [0, 1],
        [131_071, 2],
        [131_072, 131_072],
        [1000, 256_000],
        [length - 5, 5],
        [length - 5, 50],
      ] as const)
        expect(await store.readPart(key, offset, count)).toEqual(value.subarray(offset, offset + count));
    }
    await store.write([{ key, bytes: undefined }]);
    expect([await store.read(key), await store.keys('')]).toEqual([undefined, ['car/short']]);
    expect(await store.readPart?.(key, 0, 10)).toBeUndefined();
    await store.close();
  });
}

function lasting(newPlace: NewPlace): void {
  test('[B2] keeps writes after reopening', async () => {
    const place = await newPlace();
    const store = await place.open();
    await store.write([{ key: 'x/1', bytes: bytes(1) }]);
    await store.write([{ key: 'x/2', bytes: bytes(2) }]);
    await store.write([{ key: 'y/1', bytes: bytes(3) }]);
    await store.close();
    const again = await place.open();
    expect(await again.readPrefix('x/')).toEqual(
      new Map([
        ['x/1', bytes(1)],
        ['x/2', bytes(2)],
      ]),
    );
    await again.close();
  });

  test('has no values after the store was destroyed', async () => {
    const place = await newPlace();
    const store = await place.open();
    await store.write([{ key: 'k', bytes: bytes(1) }]);
    await store.destroy();
    const again = await place.open();
    expect(await again.read('k')).toBeUndefined();
    await again.close();
  });
}
