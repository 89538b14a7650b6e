import { expect, test } from 'vitest';
import { mergedFiles } from './merge-files.ts';

const file = (cid: string) => ({ cid, file: () => undefined });

test('keeps the files of both versions, and both files of the same name', () => {
  const [a, b, same] = [file('a'), file('b'), file('same')];
  expect(
    mergedFiles(
      { _files: { 'p.png': a, 'one.txt': same, ['__proto__']: a } },
      { _files: { 'p.png': b, 'one.txt': file('same'), 'p (2).png': same }, _publicFiles: { x: b } },
    ),
  ).toEqual({
    _files: { 'p.png': a, 'one.txt': same, ['__proto__']: a, 'p (2).png': b, 'p (2) (2).png': same },
    _publicFiles: { x: b },
  });
});
