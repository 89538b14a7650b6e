import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type Fields, sameFields, valueIn } from '../values/document-fields.ts';
import { type Change, undoPlan } from './undo-plan.ts';

const NAMES = ['x', 'y', 'z', '__proto__', 'constructor', 'hasOwnProperty'];
const value = fc.oneof(fc.integer({ min: 0, max: 2 }), fc.constantFrom('', 'a', null, false));

/** Documents with few names and values, so that equal and different fields are both likely. */
const doc = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), value), { selector: ([name]) => name })
  .map((fields): Fields => Object.fromEntries([['_id', 'a'], ...fields]));
const maybe = fc.option(doc, { nil: undefined });
const fieldsOf = fc.option(fc.subarray(NAMES), { nil: undefined });

/** Returns the document after the write of a plan. */
function afterPlan(change: Change, now: Fields | undefined): Fields | undefined {
  const { write } = undoPlan(change, now);
  if (write === undefined) return now;
  return write === 'delete' ? undefined : write.put;
}

const reversed = ({ before, after, ...change }: Change): Change => ({
  ...change,
  before: after,
  after: before,
});

describe('the plan to undo any change', () => {
  test('restores the document exactly if nobody changed it since, and asks nothing', () => {
    fc.assert(
      fc.property(maybe, maybe, (before, after) => {
        const change = { id: 'a', before, after };
        expect(undoPlan(change, after).other).toBeUndefined();
        const restored = afterPlan(change, after);
        expect(restored === undefined).toBe(before === undefined);
        expect(sameFields(restored ?? {}, before ?? {})).toBe(true);
        const again = afterPlan(reversed(change), restored);
        expect(sameFields(again ?? {}, after ?? {})).toBe(true);
      }),
    );
  });

  test('has nothing left to do once it was carried out', () => {
    fc.assert(
      fc.property(maybe, maybe, maybe, fieldsOf, (before, after, now, fields) => {
        const change = { id: 'a', before, after, fields };
        fc.pre(fields === undefined || now !== undefined);
        expect(undoPlan(change, afterPlan(change, now))).toEqual({ write: undefined, other: undefined });
      }),
    );
  });

  test('never touches a field that the change left alone', () => {
    fc.assert(
      fc.property(doc, doc, doc, fieldsOf, (before, after, now, fields) => {
        const result = afterPlan({ id: 'a', before, after, fields }, now) ?? {};
        for (const name of NAMES) {
          const isChanged =
            (fields?.includes(name) ?? true) && valueIn(before, name) !== valueIn(after, name);
          expect(valueIn(result, name)).toEqual(valueIn(isChanged ? before : now, name));
        }
      }),
    );
  });

  test('names exactly the fields whose later values would be lost', () => {
    fc.assert(
      fc.property(doc, doc, doc, (before, after, now) => {
        // Fields that somebody changed, and that the write changes once more.
        const change = { id: 'a', before, after };
        const result = afterPlan(change, now) ?? {};
        const lost = NAMES.filter(
          (name) =>
            valueIn(now, name) !== valueIn(after, name) && valueIn(result, name) !== valueIn(now, name),
        );
        const named = undoPlan(change, now).other?.fields ?? [];
        expect(named.map(({ field }) => field).sort()).toEqual(lost.sort());
        for (const { field, now: shown } of named) expect(shown).toEqual(valueIn(now, field));
      }),
    );
  });

  test('writes the id of the document, even if the values in memory have none', () => {
    const plan = undoPlan({ id: 'a', before: { x: 1 }, after: { x: 2 }, fields: ['x'] }, { x: 2 });
    expect(plan.write).toEqual({ put: { _id: 'a', x: 1 } });
  });
});
