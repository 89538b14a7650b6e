/**
 * Every call accepts values up to the depth limit of documents. Deeper values cause a typed error,
 * never a stack overflow.
 */
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Where } from '../src/database/database.ts';
import { DEPTH_MAX } from '../src/documents/sanitise.ts';
import { quickJsSandbox } from '../src/entries/sandbox.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';
import { PLACES } from './places.fixture.ts';

/**
 * Builds a nested value, starting with the innermost level. Tests compare such values as text,
 * because neither recursion nor `toEqual` works at this depth.
 */
function nested(levels: number): unknown {
  let value: unknown = 'end';
  for (let at = 1; at <= levels; at++) value = at % 2 === 0 ? [value] : { in: value };
  return value;
}

const TOO_DEEP = [DEPTH_MAX + 1, 1000, 1200, 5000, 200_000];
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'accepted',
    (cause: { code?: string }) => cause.code ?? String(cause),
  );

describe.each(Object.entries(PLACES))('[R20] in a %s database', (name, placeOn) => {
  const start = () => {
    const { platform } = memoryPlatform();
    const place = placeOn(platform, { sandbox: quickJsSandbox() });
    onTestFinished(async () => {
      await place.db.close();
      place.end();
    });
    return place;
  };

  test('puts, reads, queries, compares and lists the deepest allowed document', async () => {
    const { db, rows } = start();
    const doc = { _id: 'deep', value: nested(DEPTH_MAX) };
    const text = JSON.stringify(doc.value);
    const { clock: before } = await db.allDocs();
    await db.put(doc);
    const { clock: after } = await db.allDocs();
    const values: unknown[] = [
      (await db.get('deep'))['value'],
      (await db.allDocs()).rows[0]?.value['value'],
      (await db.changes()).rows[0]?.value?.['value'],
      (await db.diff(before, after))[0]?.after?.['value'],
      (await db.at(after).get('deep'))['value'],
      (await db.query('value')).rows[0]?.key,
      (await db.query({ source: '(doc, emit) => emit(doc.value, doc.value)' })).rows[0]?.value,
    ];
    for (const value of values) expect(JSON.stringify(value)).toBe(text);
    expect((await rows.window({ limit: 5 })).rows).toHaveLength(1);
    const found: string[] = [];
    for await (const part of rows.find({ texts: [{ text: 'end' }] })) found.push(...part);
    for await (const part of rows.find({ where: { value: 1 } })) found.push(...part);
    expect(found).toEqual(['deep']);
  });

  test.each(TOO_DEEP)('rejects a document of %i levels', async (levels) => {
    const { db } = start();
    expect(await codeOf(db.put({ value: nested(levels) }))).toBe('DOC_INVALID');
    expect(await codeOf(db.bulk([{ value: nested(levels) }]))).toBe('DOC_INVALID');
    expect((await db.allDocs()).rows).toEqual([]);
  });

  test.each([300, 1000, 1200, 5000, 200_000])(
    'rejects a key of %i levels, and accepts a value of that depth or rejects it with a typed error',
    async (levels) => {
      const { db } = start();
      await db.put({ _id: 'a' });
      const text = `let value = 0; for (let at = 0; at < ${levels}; at++) value = [value];`;
      expect(await codeOf(db.query({ source: `(doc, emit) => { ${text} emit(value, 1); }` }))).toBe(
        'MAP_FAILED',
      );
      const emitsValue = await codeOf(db.query({ source: `(doc, emit) => { ${text} emit(1, value); }` }));
      expect(['MAP_FAILED', ...(levels <= 1000 ? ['accepted'] : [])]).toContain(emitsValue);
      if (name === 'bridged') return;
      expect(await codeOf(db.query((_, emit) => emit(nested(levels), 1)))).toBe('MAP_FAILED');
      const native = await codeOf(db.query((_, emit) => emit(1, nested(levels))));
      expect(['MAP_FAILED', ...(levels <= 1000 ? ['accepted'] : [])]).toContain(native);
    },
  );

  test.each([101, 5000, 100_000])('rejects conditions of %i levels', async (levels) => {
    const { db, rows } = start();
    await db.put({ _id: 'a' });
    let where: Where = { a: { exists: true } };
    for (let at = 0; at < levels; at++) where = at % 2 === 0 ? { not: where } : { and: [where] };
    const search = async () => {
      for await (const _ of rows.find({ where }));
    };
    expect(await codeOf(search())).toBe('QUERY_INVALID');
    expect(await codeOf(db.find({ where }))).toBe('QUERY_INVALID');
  });
});
