import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { long } from '../../../tests/budget.fixture.ts';
import type { Emitted, Sandbox } from '../../ports/sandbox.ts';
import { quickJsSandbox } from './quickjs-sandbox.ts';

const DOCUMENTS = [
  { _id: 'a', n: 1, tags: ['x', 'y'] },
  { _id: 'b', n: 2 },
];

async function run(
  source: string,
  documents: readonly unknown[] = DOCUMENTS,
  sandbox: Sandbox = quickJsSandbox(),
): Promise<readonly Emitted[]> {
  const map = await sandbox.open(source);
  try {
    return await map.run(documents);
  } finally {
    map.close();
  }
}

/** Returns the value that an expression has inside a map function. */
const seen = async (expression: string) =>
  (await run(`(doc, emit) => emit(0, { seen: ${expression} })`, [{}]))[0]?.value;

const refusal = (source: string, documents?: readonly unknown[], sandbox?: Sandbox) =>
  run(source, documents, sandbox).then(
    () => 'nothing was refused',
    (error: { code: string; message: string }) => `${error.code} ${error.message}`,
  );

describe('map functions in QuickJS', () => {
  test('returns rows from emit, or else from the returned value', async () => {
    expect(await run('(doc, emit) => { emit(doc._id, doc) }')).toEqual([
      { at: 0, key: 'a', value: DOCUMENTS[0] },
      { at: 1, key: 'b', value: DOCUMENTS[1] },
    ]);
    expect(await run('function (doc) { return doc.n * 2 };\n')).toEqual([
      { at: 0, key: 2, value: null },
      { at: 1, key: 4, value: null },
    ]);
    expect(
      await run('(doc, emit) => { for (const tag of doc.tags ?? []) emit([tag, doc.n], 0) } // words'),
    ).toEqual([
      { at: 0, key: ['x', 1], value: null },
      { at: 0, key: ['y', 1], value: null },
    ]);
    expect(await run('(doc, emit) => { emit(undefined, 1) }')).toEqual([]);
    expect(await run('(doc) => { doc.n = 7 }')).toEqual([]);
  });

  test('ignores changes that a map function makes to a document after emitting it', async () => {
    expect(await run('(doc, emit) => { emit(1, doc); doc.n = 9 }', [{ n: 1 }])).toEqual([
      { at: 0, key: 1, value: { n: 1 } },
    ]);
  });

  test('returns keys that JSON cannot hold', async () => {
    const rows = await run(
      '(doc, emit) => { emit(NaN); emit([1, undefined, [-Infinity]]); emit([null, {a: 1}]) }',
      [{}],
    );
    expect(rows.map(({ key }) => key)).toEqual([
      Number.NaN,
      [1, undefined, [Number.NEGATIVE_INFINITY]],
      [null, { a: 1 }],
    ]);
  });

  test('converts integers of 64 bits to numbers', async () => {
    expect(await run('(doc) => doc.big', [{ big: 2n ** 60n }])).toEqual([
      { at: 0, key: 2 ** 60, value: null },
    ]);
  });

  test('runs several batches with one function', async () => {
    const map = await quickJsSandbox().open('(doc) => doc.n');
    expect(await map.run([{ n: 1 }])).toEqual([{ at: 0, key: 1, value: null }]);
    expect(await map.run([{}, { n: 2 }])).toEqual([{ at: 1, key: 2, value: null }]);
    map.close();
  });

  test('rejects text that is not a function, with the message of the error', async () => {
    expect(await refusal('type')).toBe('MAP_FAILED map function failed: type is not defined');
    expect(await refusal('42')).toBe('MAP_FAILED map function failed: mapFn must be a function');
    expect(await refusal('async (doc) => doc.n')).toBe(
      'MAP_FAILED map function failed: mapFn must be a function',
    );
    expect(await refusal('function* (doc) { yield 1 }')).toBe(
      'MAP_FAILED map function failed: mapFn must be a function',
    );
    expect(await refusal('(doc) => (async () => 1)()')).toBe(
      'MAP_FAILED map function failed: mapFn must be a function',
    );
    expect(await refusal('(doc => ')).toMatch(/^MAP_FAILED map function failed: .+/);
    expect(await refusal('')).toMatch(/^MAP_FAILED map function failed: .+/);
  });

  test('rejects with the message of an exception that the function throws', async () => {
    expect(await refusal('(doc) => doc.tags.length')).toMatch(/MAP_FAILED .*undefined/);
    expect(await refusal('(doc) => { throw new Error("no way") }')).toBe(
      'MAP_FAILED map function failed: no way',
    );
    expect(await refusal('(doc) => { throw "text" }')).toBe('MAP_FAILED map function failed: text');
    expect(await refusal('(doc) => { throw null }')).toBe('MAP_FAILED map function failed: null');
    expect(await refusal('(doc, emit) => emit(1, 10n)')).toMatch(/^MAP_FAILED .*/);
  });
});

/**
 * Advances the clock by a millisecond each time it is read. So the measured times don't depend on
 * how busy the machine is.
 */
function askedTime(): void {
  let nowMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs++);
  onTestFinished(() => clock.mockRestore());
}

describe('[S11] containment', () => {
  test('denies outside access, code from text, and waiting', async () => {
    const names = [
      'fetch',
      'process',
      'require',
      'indexedDB',
      'XMLHttpRequest',
      'WebSocket',
      'importScripts',
      'self',
      'window',
      'document',
      'setTimeout',
      'queueMicrotask',
      'performance',
      'navigator',
      'console',
      'crypto',
      'eval',
      'Promise',
      'WeakRef',
      'FinalizationRegistry',
      'SharedArrayBuffer',
      'Atomics',
      'std',
      'os',
    ];
    expect(await seen(`${JSON.stringify(names)}.filter((name) => name in globalThis)`)).toEqual({ seen: [] });
    for (const code of [
      'Function("return 1")()',
      '(() => 1).constructor("return 1")()',
      '(async () => 1).constructor("return 1")()',
      '(function* () {}).constructor("yield 1")().next()',
    ])
      expect(await refusal(`(doc) => ${code}`)).toMatch(/code from text is not available/);
    expect(await refusal('(doc) => import("node:fs")')).not.toBe('nothing was refused');
  });

  test('freezes time and randomness', async () => {
    expect(await seen('[Date.now(), new Date().getTime(), Date(), Math.random(), Math.random()]')).toEqual({
      seen: [0, 0, expect.stringContaining('1970'), 0.5, 0.5],
    });
    expect(
      await seen(
        '[new Date("2026-01-02").toISOString(), new Date(5) instanceof Date, new Date(2026, 0).getFullYear(), Date.UTC(2026, 0), new Date(0).constructor === Date]',
      ),
    ).toEqual({
      seen: ['2026-01-02T00:00:00.000Z', true, 2026, 1767225600000, true],
    });
  });

  test('prevents changes of shared objects', async () => {
    for (const code of [
      'Object.prototype.toJSON = () => 1',
      'Array.prototype.push = 1',
      'globalThis.state = 1',
      'JSON.stringify = 1',
      'Date.now = 1',
      'Object.getPrototypeOf([][Symbol.iterator]()).next = 1',
    ])
      expect(await refusal(`(doc) => { 'use strict'; ${code} }`), code).toMatch(/^MAP_FAILED/);
    expect(
      await run(
        '(doc, emit) => { emit.constructor.prototype.x = 1; Object.prototype.y = 1; emit(1, { z: [].x === undefined, y: doc.y === undefined }) }',
        [{}],
      ),
    ).toEqual([{ at: 0, key: 1, value: { z: true, y: true } }]);
  });

  test('keeps no state from one query to the next', async () => {
    const sandbox = quickJsSandbox();
    await refusal(
      '(doc) => { try { globalThis.left = 1 } catch {} ; Object.defineProperty(Object, "left", { value: 1 }) }',
      DOCUMENTS,
      sandbox,
    );
    expect(await run('(doc) => typeof left + typeof Object.left', [{}], sandbox)).toEqual([
      { at: 0, key: 'undefinedundefined', value: null },
    ]);
  });

  test('stops endless loops and endless matching, and runs the next query', async () => {
    askedTime();
    const sandbox = quickJsSandbox({ limits: { batchMs: 100 } });
    for (const code of [
      'for (;;) {}',
      'try { for (;;) {} } catch { for (;;) {} }',
      '/^(a+)+$/.test("a".repeat(40) + "b")',
      '[].concat(...Array(1e4).fill(0)); for (;;) {}',
    ])
      expect(await refusal(`(doc) => { ${code} }`, [{}], sandbox)).toBe(
        'MAP_FAILED map function failed: stopped after 100 ms',
      );
    expect(await refusal('(() => { for (;;) {} })()', [{}], sandbox)).toBe(
      'MAP_FAILED map function failed: stopped after 100 ms',
    );
    expect(await run('(doc) => 1', [{}], sandbox)).toHaveLength(1);
  });

  test('limits the total time of all batches, too', async () => {
    askedTime();
    const map = await quickJsSandbox({ limits: { queryMs: 150, batchMs: 100 } }).open(
      '(doc) => { if (doc.endless) for (;;) {} }',
    );
    const stopped = () => map.run([{ endless: true }]).catch((error: Error) => error.message);
    expect(await stopped()).toMatch('stopped after 100 ms');
    expect(await stopped()).toMatch(/stopped after \d\d? ms/);
    map.close();
  });

  test('limits memory, recursion and output, and runs the next query', long, async () => {
    // The time limits are so high that each of these functions stops at another limit.
    const unhurried = { batchMs: 600_000, queryMs: 600_000 };
    const sandbox = quickJsSandbox({ limits: { rowsMax: 1000, outputMax: 100_000, ...unhurried } });
    expect(
      await refusal(
        '(doc) => { const all = []; for (;;) all.push(new Array(10000).fill(1)) }',
        [{}],
        sandbox,
      ),
    ).toMatch(/out of memory/);
    expect(await refusal('(doc) => { let s = "x"; for (;;) s += s }', [{}], sandbox)).toMatch(/MAP_FAILED/);
    expect(await refusal('(doc) => new ArrayBuffer(1e9).byteLength', [{}], sandbox)).toMatch(/MAP_FAILED/);
    expect(await refusal('function f(doc) { return f(doc) + 1 }', [{}], sandbox)).toMatch(/stack/i);
    expect(await refusal('(doc, emit) => { for (;;) emit(1) }', [{}], sandbox)).toMatch(
      'stopped after 1000 rows',
    );
    expect(await refusal('(doc, emit) => { for (;;) emit("x".repeat(1000)) }', [{}], sandbox)).toMatch(
      'stopped after 100000 characters',
    );
    expect(await run('(doc) => 1', [{}], sandbox)).toHaveLength(1);
  });
});
