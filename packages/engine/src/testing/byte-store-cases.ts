/** The contract of stores as cases that any test runner can run. */
import { equalBytes } from '../base/bytes.ts';
import type { ByteStore } from '../ports/byte-store.ts';

const bytes = (...values: number[]) => Uint8Array.from(values);

/** A place where a store can be opened repeatedly. */
export interface StorePlace {
  /**
   * Opens the store of this place, which keeps the values of earlier stores. One case opens it
   * while it is open. If only one process can open the store, the second call rejects.
   */
  open(): Promise<ByteStore>;
}

/** One rule of the contract. */
export interface StoreCase {
  readonly name: string;
  /** Rejects if the store breaks the rule. */
  run(): Promise<void>;
}

type Case = readonly [name: string, run: (place: StorePlace) => Promise<void>];

/**
 * Returns the contract of {@link ByteStore}: B1 to B4 and B6, each in one or several cases.
 * Register each case as a test of your runner.
 * @param newPlace returns a place without a store
 */
export function byteStoreCases(newPlace: () => Promise<StorePlace>): readonly StoreCase[] {
  return CASES.map(([name, run]) => ({ name, run: async () => run(await newPlace()) }));
}

function check(isKept: boolean, message: string): asserts isKept {
  if (!isKept) throw new Error(message);
}

const shown = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    inner instanceof Uint8Array
      ? `${inner.length} bytes: ${[...inner.subarray(0, 20)]}`
      : inner instanceof Map
        ? [...inner]
        : inner,
  ) ?? 'undefined';

/** Compares values that consist of arrays, maps, bytes and primitive values. */
function isEqual(found: unknown, expected: unknown): boolean {
  if (found instanceof Uint8Array && expected instanceof Uint8Array) return equalBytes(found, expected);
  if (found instanceof Map && expected instanceof Map) return isEqual([...found], [...expected]);
  if (Array.isArray(found) && Array.isArray(expected))
    return found.length === expected.length && found.every((value, at) => isEqual(value, expected[at]));
  return Object.is(found, expected);
}

const equal = (found: unknown, expected: unknown): void =>
  check(isEqual(found, expected), `found ${shown(found)} instead of ${shown(expected)}`);

const WRITING: readonly Case[] = [
  [
    '[B1] returns the value that was last written under a key',
    async (place) => {
      const store = await place.open();
      await store.write([{ key: 'k', bytes: bytes(1) }]);
      await store.write([{ key: 'k', bytes: bytes(2, 3) }]);
      equal(await store.read('k'), bytes(2, 3));
      await store.close();
    },
  ],

  [
    '[B1] applies all changes of a write, including removals',
    async (place) => {
      const store = await place.open();
      await store.write([
        { key: 'a', bytes: bytes(1) },
        { key: 'b', bytes: bytes() },
      ]);
      await store.write([
        { key: 'a', bytes: undefined },
        { key: 'c', bytes: bytes(3) },
      ]);
      equal(await store.keys(''), ['b', 'c']);
      equal(await store.read('b'), bytes());
      await store.close();
    },
  ],

  [
    '[B1] leaves everything unchanged when the condition of a write is not met',
    async (place) => {
      const store = await place.open();
      equal(await store.write([{ key: 'k', bytes: bytes(1) }], { key: 'k', bytes: undefined }), true);
      const change = { key: 'k', bytes: bytes(9) };
      equal(await store.write([change], { key: 'k', bytes: undefined }), false);
      equal(await store.write([change], { key: 'k', bytes: bytes(2) }), false);
      equal(await store.write([change], { key: 'other', bytes: bytes(1) }), false);
      equal(await store.read('k'), bytes(1));
      equal(await store.write([change], { key: 'k', bytes: bytes(1) }), true);
      equal(await store.read('k'), bytes(9));
      await store.close();
    },
  ],

  [
    'completes all concurrent writes',
    async (place) => {
      const store = await place.open();
      const keys = Array.from({ length: 50 }, (_, at) => `k/${String(at).padStart(2, '0')}`);
      await Promise.all(keys.map((key, at) => store.write([{ key, bytes: bytes(at) }])));
      equal(await store.keys('k/'), keys);
      await store.close();
    },
  ],
];

const READING: readonly Case[] = [
  [
    '[B3] reads an absent key as undefined',
    async (place) => {
      const store = await place.open();
      equal(await store.read('absent'), undefined);
      equal(await store.keys('absent'), []);
      await store.close();
    },
  ],

  [
    '[B4] returns for a part of a value nothing, or the same bytes that the whole value has there, even if the part extends beyond the end',
    async (place) => {
      const store = await place.open();
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
          const part = await store.readPart(key, offset, length);
          if (part !== undefined) equal(part, expected);
        }
      await store.close();
    },
  ],

  [
    '[B3] [B4] returns long archives and parts of them, also after a replacement by a shorter one and a removal',
    async (place) => {
      const store = await place.open();
      const key = 'car/long';
      const patternOf = (length: number) =>
        Uint8Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) % 256);
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
        equal(await store.read(key), value);
        equal(await store.keys('car/'), [key, 'car/short']);
        equal(await store.keys(''), [key, 'car/short']);
        const rows = await store.readPrefix('car/');
        equal(
          [...rows].map(([name, found]) => [name, found.length]),
          [
            [key, length],
            ['car/short', 1],
          ],
        );
        if (store.readPart === undefined || !inParts) continue;
        for (const [offset, count] of [
          [0, 1],
          [131_071, 2],
          [131_072, 131_072],
          [1000, 256_000],
          [length - 5, 5],
          [length - 5, 50],
        ] as const)
          equal(await store.readPart(key, offset, count), value.subarray(offset, offset + count));
      }
      await store.write([{ key, bytes: undefined }]);
      equal([await store.read(key), await store.keys('')], [undefined, ['car/short']]);
      equal(await store.readPart?.(key, 0, 10), undefined);
      await store.close();
    },
  ],
];

/** Number of writes during the reads of another handle. */
const WRITES = 60;
const numberOf = (value: Uint8Array | undefined) => value?.[0] ?? 0;

const SHARED: readonly Case[] = [
  [
    '[B6] shows the writes of another handle in the order in which reads begin',
    async (place) => {
      const writer = await place.open();
      const reader = await place.open().catch(() => undefined);
      for (let n = 1; n <= WRITES && reader !== undefined; n++) {
        await reader.refresh?.();
        const changes = [
          { key: 'head', bytes: bytes(n) },
          { key: `list/${String(n).padStart(3, '0')}`, bytes: bytes(n) },
        ];
        const reads = [
          () => reader.read('head').then(numberOf),
          () => reader.readPrefix('list/').then(({ size }) => size),
          () => reader.keys('list/').then(({ length }) => length),
          () => reader.readPrefix('head').then((rows) => numberOf(rows.get('head'))),
          () => reader.read('head').then(numberOf),
          () => reader.keys('list/').then(({ length }) => length),
        ];
        // The write begins before one of the reads, or after all of them.
        let writing: Promise<unknown> | undefined;
        const begun = reads.map((begin, at) => {
          if (at === n % (reads.length + 1)) writing = writer.write(changes);
          return begin();
        });
        writing ??= writer.write(changes);
        const [found] = await Promise.all([Promise.all(begun), writing]);
        equal(
          found,
          found.toSorted((a, b) => a - b),
        );
      }
      await reader?.close();
      await writer.close();
    },
  ],
];

const LASTING: readonly Case[] = [
  [
    '[B2] keeps writes after reopening',
    async (place) => {
      const store = await place.open();
      await store.write([{ key: 'x/1', bytes: bytes(1) }]);
      await store.write([{ key: 'x/2', bytes: bytes(2) }]);
      await store.write([{ key: 'y/1', bytes: bytes(3) }]);
      await store.close();
      const again = await place.open();
      equal(
        await again.readPrefix('x/'),
        new Map([
          ['x/1', bytes(1)],
          ['x/2', bytes(2)],
        ]),
      );
      await again.close();
    },
  ],

  [
    'has no values after the store was destroyed',
    async (place) => {
      const store = await place.open();
      await store.write([{ key: 'k', bytes: bytes(1) }]);
      await store.destroy();
      const again = await place.open();
      equal(await again.read('k'), undefined);
      await again.close();
    },
  ],
];

const CASES = [...WRITING, ...READING, ...SHARED, ...LASTING];
