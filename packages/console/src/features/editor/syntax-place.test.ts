import { expect, test } from 'vitest';
import { placeOfProblem } from './syntax-place.ts';

const NAMELESS = 'function (doc, emit) {\n  emit(doc.scope, scpe);\n}';

test.each([
  ['(doc) => {\n  emit(doc.;\n}', 'expecting field name', { line: 2, column: 12 }],
  ['(doc) => doc.a b', "expecting ')'", { line: 1, column: 16 }],
  [
    'function (doc, emit) {\n  if (!doc.a) {\n    emit(1)\n  )\n}',
    'unexpected token',
    { line: 4, column: 3 },
  ],
  ['(doc) => {\n  return 1', 'expecting }', { line: 2, column: 11 }],
  [NAMELESS, 'scpe is not defined', { line: 2, column: 19 }],
  [NAMELESS, "'scpe' is not defined", { line: 2, column: 19 }],
  [`${NAMELESS};`, 'cannot read property', undefined],
  ['(doc) => doc.a.b', 'cannot read property of undefined', undefined],
])('finds the place of the problem in %j', (source, message, place) => {
  expect(placeOfProblem(source, message)).toEqual(place);
});
