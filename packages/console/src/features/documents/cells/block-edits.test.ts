import { beforeEach, describe, expect, test } from 'vitest';
import { editsOf, fillEdits, planPaste } from './block-edits.ts';
import { rememberCopied } from './copied.ts';

const SHOWN = ['_id', 'name', 'code', 'size'];
const block = (fromAt: number, toAt: number, ...columns: string[]) => ({ fromAt, toAt, columns });
const kindOf = (column: string) => (column === 'size' ? 'number' : 'text');
const plan = (of: ReturnType<typeof block>, text: string) => planPaste(of, text, SHOWN, kindOf);

beforeEach(() => rememberCopied('', []));

describe('a paste', () => {
  test('begins at the focused cell, and gives each value the type of its column', () => {
    const pasted = plan(block(3, 3, 'code'), '007\t12\n008\t13');
    expect(pasted).toEqual({
      fromAt: 3,
      rows: 2,
      columns: ['code', 'size'],
      leftOut: 0,
      values: [
        ['007', 12],
        ['008', 13],
      ],
    });
    expect(editsOf(pasted, ['a'])).toEqual([
      {
        id: 'a',
        cells: [
          { field: 'code', value: '007' },
          { field: 'size', value: 12 },
        ],
      },
      {
        id: undefined,
        cells: [
          { field: 'code', value: '008' },
          { field: 'size', value: 13 },
        ],
      },
    ]);
  });

  test('fills the whole block with a single value', () => {
    expect(plan(block(1, 2, 'name', 'code'), 'x').values).toEqual([
      ['x', 'x'],
      ['x', 'x'],
    ]);
  });

  test('leaves out ids, and columns beyond the last one', () => {
    const pasted = plan(block(0, 0, '_id'), 'id\tname\tcode\t1\tmore');
    expect(editsOf(pasted, ['a'])[0]?.cells.map(({ field }) => field)).toEqual(['name', 'code', 'size']);
    expect(pasted.leftOut).toBe(2);
    expect(plan(block(0, 0, 'size'), '1\t\n2\tx\ty').leftOut).toBe(2);
    expect(plan(block(1, 3, '_id', 'name'), 'x').leftOut).toBe(3);
  });

  test('keeps the types of values that were copied in this tab', () => {
    rememberCopied('7\ttrue', [['7', true]]);
    expect(plan(block(0, 0, 'code'), '7\ttrue\r\n').values).toEqual([['7', true]]);
  });

  test('keeps the cells of shorter lines', () => {
    expect(plan(block(0, 0, 'name'), 'a\tb\nc').values).toEqual([['a', 'b'], ['c']]);
  });
});

test('fills down the values of the first row, except the id', () => {
  expect(fillEdits(['_id', 'code'], [['a', '007']], ['a', 'b', 'c'])).toEqual([
    { id: 'b', cells: [{ field: 'code', value: '007' }] },
    { id: 'c', cells: [{ field: 'code', value: '007' }] },
  ]);
});
