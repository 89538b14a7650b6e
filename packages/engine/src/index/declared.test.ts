import { describe, expect, test } from 'vitest';
import { declaredAmong, parseDeclarations } from './declared.ts';

describe('declaredAmong', () => {
  test('returns declared indexes, and ignores other indexes and definitions that it can’t read', () => {
    const declared = parseDeclarations([
      ...['done', ['list', 'tags[]'], { text: ['title'] }],
      ...[
        { fields: ['done'], prefix: 'todo/' },
        { text: ['title'], prefix: 'todo/' },
      ],
    ]);
    expect(new Set(declared.map(({ definition }) => definition)).size).toBe(5);
    const definitions = declared.map(({ definition }) => definition);
    const unreadable = ['declared:', 'declared:{"v":2}', 'declared:["a["]', 'declared:[]'];
    const newer = 'declared:{"text":["title"],"version":2}';
    expect(declaredAmong(['field:done', ...unreadable, newer, ...definitions])).toEqual(declared);
  });
});
