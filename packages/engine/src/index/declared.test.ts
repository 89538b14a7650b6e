import { describe, expect, test } from 'vitest';
import { declaredAmong, parseDeclarations } from './declared.ts';

describe('declaredAmong', () => {
  test('returns declared indexes, and ignores other indexes and definitions that it can’t read', () => {
    const declared = parseDeclarations(['done', ['list', 'tags[]']]);
    const definitions = declared.map(({ definition }) => definition);
    const unreadable = ['declared:', 'declared:{"v":2}', 'declared:["a["]', 'declared:[]'];
    expect(declaredAmong(['field:done', ...unreadable, ...definitions])).toEqual(declared);
  });
});
