import fc from 'fast-check';
import * as valibot from 'valibot';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { inValibot } from './in-valibot.fixture.ts';
import * as v from './shape.ts';
import { answers, requests } from './storage-messages.ts';

const firstIssue = (schema: valibot.GenericSchema, value: unknown) => {
  const [issue] = valibot.safeParse(schema, value, { abortEarly: true }).issues ?? [];
  if (issue === undefined) return undefined;
  return {
    path: (issue.path ?? []).map(({ key }) => String(key)),
    wanted: issue.type === 'literal' ? String(issue.expected) : issue.type.replace('loose_', ''),
    isMissing: issue.received === 'undefined',
  };
};

/** The library names the object around a missing field; errors name neither. */
const said = (mismatch?: v.Mismatch) =>
  mismatch && { ...mismatch, wanted: mismatch.isMissing || mismatch.wanted };

const point = v.looseObject({
  type: v.literal('point'),
  at: v.array(v.number()),
  label: v.optional(v.string()),
  isFixed: v.optional(v.boolean()),
});

describe('a shape', () => {
  test('has the type of its values', () => {
    type Point = v.InferOutput<typeof point>;
    expectTypeOf<Pick<Point, 'type' | 'at'>>().toEqualTypeOf<{ type: 'point'; at: number[] }>();
    expectTypeOf<Point['label']>().toEqualTypeOf<string | undefined>();
    ({ type: 'point', at: [1], more: true }) satisfies Point;
    // @ts-expect-error: a missing field
    ({ type: 'point' }) satisfies Point;
    // @ts-expect-error: a wrong type of an optional field
    ({ type: 'point', at: [], label: 1 }) satisfies Point;
  });

  test.each([
    [{ type: 'point', at: [1, 2], label: 'a', isFixed: true, more: {} }, undefined],
    [{ type: 'point', at: [], label: undefined }, undefined],
    [
      { type: 'line', at: [] },
      { path: ['type'], wanted: '"point"', isMissing: false },
    ],
    [{ type: 'point' }, { path: ['at'], wanted: 'array', isMissing: true }],
    [
      { type: 'point', at: { length: 0 } },
      { path: ['at'], wanted: 'array', isMissing: false },
    ],
    [
      { type: 'point', at: [1, '2'] },
      { path: ['at', '1'], wanted: 'number', isMissing: false },
    ],
    [
      { type: 'point', at: [Number.NaN] },
      { path: ['at', '0'], wanted: 'number', isMissing: false },
    ],
    [
      { type: 'point', at: [], label: null },
      { path: ['label'], wanted: 'string', isMissing: false },
    ],
    [
      { type: 'point', at: [], isFixed: 1 },
      { path: ['isFixed'], wanted: 'boolean', isMissing: false },
    ],
    [null, { path: [], wanted: 'object', isMissing: false }],
    [undefined, { path: [], wanted: 'object', isMissing: true }],
    ['point', { path: [], wanted: 'object', isMissing: false }],
  ])('finds the first mismatch of %j', (value, mismatch) => {
    expect(v.mismatchOf(point, value)).toEqual(mismatch);
    expect(said(firstIssue(inValibot(point), value))).toEqual(said(mismatch));
  });

  test('counts only own fields', () => {
    const constructed = v.looseObject({
      constructor: v.optional(v.string()),
      toString: v.optional(v.string()),
    });
    expect(v.mismatchOf(constructed, {})).toBeUndefined();
    expect(v.mismatchOf(point, Object.create({ type: 'point', at: [] }))).toMatchObject({ path: ['type'] });
  });
});

test('[S13] finds in any message what a schema library finds', () => {
  const known = Object.values({ ...requests, ...answers }).map((shape) => ({
    shape,
    schema: inValibot(shape),
  }));
  const names = ['type', 'tid', 'auth', 'params', 'jwk', 'conn', 'reqId', 'resId', 'meta', 'metas', 'keys'];
  const field = fc.constantFrom(
    ...names,
    'cid',
    'parents',
    'data',
    'presence',
    'id',
    'gestalt',
    'cursor',
    'objects',
  );
  const types = Object.keys({ ...requests, ...answers, 'fp-cloud-jwk': '' });
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      fc.constantFrom(...types, 'text', 7, true, null, undefined),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(field, tie('value')),
    ),
  }));
  fc.assert(
    fc.property(value, fc.constantFrom(...known), (one, { shape, schema }) => {
      const typed = { ...(one as object), type: shape.entries?.['type']?.literal };
      expect(said(v.mismatchOf(shape, typed))).toEqual(said(firstIssue(schema, typed)));
    }),
  );
});
