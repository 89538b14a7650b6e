import { expect, test } from 'vitest';
import { fieldParameter, pathInParameter } from './field-parameter.ts';

test.each([[['title']], [['a b']], [['']], [['[x']], [['centre', 'lat']], [['scripts', 0, 'name']]])(
  'reads the path %j from the address in which it was written',
  (path) => {
    expect(pathInParameter(fieldParameter(path))).toEqual(path);
  },
);

test('reads other texts in brackets as the name of a field', () => {
  expect(pathInParameter('[not json')).toEqual(['[not json']);
  expect(pathInParameter('[null]')).toEqual(['[null]']);
});
