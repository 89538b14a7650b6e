import { expect, test } from 'vitest';
import { type Files, filesOf, fileVersions, keptNames } from './merge-files.ts';

const file = (cid: string) => ({ cid, file: () => undefined });
const [a, b, c, same] = [file('a'), file('b'), file('c'), file('same')];

const kept = (files: Files) => filesOf(fileVersions(files).filter(({ isKept }) => isKept));
const states = (files: Files) =>
  fileVersions(files).map(({ name, on, other, isKept }) => [name, on, other, isKept]);
const one = (entry: object | undefined) => (entry === undefined ? {} : { _files: { x: entry } });

test('keeps the files of both versions, and both files of the same name', () => {
  expect(
    kept({
      base: undefined,
      mine: { _files: { 'p.png': a, 'one.txt': same, ['__proto__']: a } },
      theirs: { _files: { 'p.png': b, 'one.txt': file('same'), 'p (2).png': same }, _publicFiles: { x: b } },
    }),
  ).toEqual({
    _files: { 'p.png': a, 'one.txt': same, ['__proto__']: a, 'p (2).png': b, 'p (2) (2).png': same },
    _publicFiles: { x: b },
  });
});

test.each([
  ['the same in both', a, a, a, [['x', 'both', undefined, true]]],
  ['new on one side', undefined, a, undefined, [['x', 'mine', 'missing', true]]],
  ['removed on one side', a, undefined, a, [['x', 'theirs', 'removed', false]]],
  ['removed on one side, and changed on the other', a, b, undefined, [['x', 'mine', 'removed', true]]],
  [
    'changed on one side',
    a,
    a,
    b,
    [
      ['x', 'mine', 'newer', false],
      ['x', 'theirs', 'different', true],
    ],
  ],
  [
    'changed on both sides',
    a,
    b,
    c,
    [
      ['x', 'mine', 'different', true],
      ['x', 'theirs', 'different', true],
    ],
  ],
])('compares a file that is %s', (_what, base, mine, theirs, found) => {
  expect(states({ base: one(base), mine: one(mine), theirs: one(theirs) })).toEqual(found);
});

test('gives files of the same name in other fields no new name', () => {
  const versions = fileVersions({ base: {}, mine: one(a), theirs: { _publicFiles: { x: b } } });
  expect([...keptNames(versions).values()]).toEqual(['x', 'x']);
});
