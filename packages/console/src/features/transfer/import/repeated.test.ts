import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { bitOf, type Choices, type Fate, SKIP, SUGGESTED } from './problems.ts';
import { addRow, alikeIds, countRepeated, fateOfRow, keptPlace, placeOf } from './repeated.ts';

const ZERO = bitOf('zero');
const EXISTS = bitOf('exists');
const chosen = (more: Partial<Choices>): Choices => ({ ...SUGGESTED, ...more });

/** Returns rows of one file with these problems, one after the other. */
function rowsWith(...masks: readonly number[]) {
  const rows: Parameters<typeof addRow>[0] = [];
  for (const [at, mask] of masks.entries()) addRow(rows, placeOf(0, { at }), mask);
  return rows;
}

describe('rows with the same id', () => {
  test.each<[string, number[], Partial<Choices>, number | undefined]>([
    ['the first', [0, 0, 0], {}, 0],
    ['the last', [0, 0, 0], { twice: 'last' }, 2],
    ['the first that isn’t skipped', [ZERO, ZERO, 0, 0], { zero: SKIP }, 2],
    ['the last that isn’t skipped', [0, 0, ZERO, ZERO], { zero: SKIP, twice: 'last' }, 1],
    ['the first with a fix', [ZERO, 0], {}, 0],
    ['the id of the first that gets no new one', [ZERO, 0, 0], { zero: SKIP, twice: 'new' }, 1],
    ['none if all are skipped', [ZERO, ZERO], { zero: SKIP }, undefined],
  ])('keeps %s', (_name, masks, more, expected) => {
    expect(keptPlace(rowsWith(...masks), chosen(more))).toBe(expected);
  });

  test('keeps the existing document only in place of the row that has its id', () => {
    const rows = rowsWith(EXISTS, EXISTS);
    const fates = (more: Partial<Choices>) =>
      [0, 1].map((at) => fateOfRow({ place: placeOf(0, { at }), mask: EXISTS, sameId: rows }, chosen(more)));
    expect(fates({})).toEqual(['kept', 'skipped']);
    expect(fates({ twice: 'new' })).toEqual(['kept', 'added']);
    expect(fates({ twice: 'last', exists: 'replace' })).toEqual(['skipped', 'replaced']);
  });

  test('orders rows by their files and lines', () => {
    expect(placeOf(1, { at: 0 })).toBeGreaterThan(placeOf(0, { at: 4_000_000_000 }));
    expect(placeOf(2000, { at: 1 }) - placeOf(2000, { at: 0 })).toBe(1);
  });

  test('counts groups as one by one, whatever people choose', () => {
    const row = fc.record({
      file: fc.nat(1),
      id: fc.constantFrom('a', 'b', 'c'),
      mask: fc.constantFrom(0, ZERO, EXISTS, ZERO | EXISTS),
    });
    const choices = fc.record({
      twice: fc.constantFrom('first', 'last', 'new'),
      zero: fc.constantFrom('zero', SKIP),
      exists: fc.constantFrom('keep', 'replace', 'new'),
    });
    fc.assert(
      fc.property(fc.array(row, { maxLength: 12 }), choices, (rows, more) => {
        const placed = rows
          .toSorted((a, b) => a.file - b.file)
          .map((one, at) => ({ ...one, place: placeOf(one.file, { at }) }));
        const repeated = new Map<string, Parameters<typeof addRow>[0]>();
        for (const { id, place, mask } of placed) {
          const same = repeated.get(id) ?? [];
          addRow(same, place, mask);
          repeated.set(id, same);
        }
        const expected = new Map<string, number>();
        const found = new Map<string, number>();
        const add = (to: Map<string, number>, file: number, fate: Fate, count: number) => {
          const key = `${file} ${fate}`;
          if (count > 0) to.set(key, (to.get(key) ?? 0) + count);
        };
        for (const { id, file, place, mask } of placed)
          add(expected, file, fateOfRow({ place, mask, sameId: repeated.get(id) }, chosen(more)), 1);
        countRepeated(alikeIds(repeated), chosen(more), (fate, file, count) => add(found, file, fate, count));
        expect([...found].sort()).toEqual([...expected].sort());
        // Each id has at most one document that keeps it.
        for (const [id, same] of repeated) {
          const kept = placed.filter((one) => one.id === id && one.place === keptPlace(same, chosen(more)));
          expect(kept.length).toBe(same.every(({ mask }) => mask & ZERO) && more.zero === SKIP ? 0 : 1);
        }
      }),
      { numRuns: 300 },
    );
  });

  test('counts ids that repeat alike as one group', () => {
    const repeated = new Map(
      Array.from({ length: 20_000 }, (_, n) => {
        const rows: Parameters<typeof addRow>[0] = [];
        addRow(rows, placeOf(0, { at: 2 * n }), 0);
        addRow(rows, placeOf(0, { at: 2 * n + 1 }), ZERO);
        return [`id-${n}`, rows] as const;
      }),
    );
    const groups = alikeIds(repeated);
    expect(groups.map(({ ids }) => ids)).toEqual([20_000]);
  });
});
