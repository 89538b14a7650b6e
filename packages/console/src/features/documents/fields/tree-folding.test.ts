import { describe, expect, test } from 'vitest';
import { fieldsInText } from './json-tree.ts';
import { countAtFirst, foldedAtFirst, groupsIn, ROWS, shownNodes } from './tree-folding.ts';

const fieldsOf = (doc: unknown) => fieldsInText(JSON.stringify(doc)) ?? [];
const list = (length: number) => Array.from({ length }, (_, at) => at);
const rowsOf = (doc: unknown, folded = foldedAtFirst(fieldsOf(doc))) =>
  shownNodes(fieldsOf(doc), folded).map(({ node }) => JSON.stringify(node.path));

describe('the folding of a tree that opens', () => {
  test('shows all fields of a small document', () => {
    expect([...foldedAtFirst(fieldsOf({ a: { b: { c: [1, 2] } } }))]).toEqual([]);
  });

  test('folds the fields without rows left, so that every field further up is visible', () => {
    const doc = { many: list(5000), few: list(3), inside: { more: list(300), last: { x: 1 } } };
    const folded = foldedAtFirst(fieldsOf(doc));
    expect([...folded]).toEqual(['["many"]', '["inside","more"]']);
    expect(rowsOf(doc)).toContain('["inside","last","x"]');
  });

  test('folds all fields inside of a folded one, so that unfolding it shows one level', () => {
    const doc = { many: list(300).map((at) => ({ at: { deep: at } })) };
    const folded = foldedAtFirst(fieldsOf(doc));
    expect(folded.size).toBe(601);
    const open = new Set(folded);
    open.delete('["many"]');
    expect(rowsOf(doc, open)).toHaveLength(301);
  });

  test('shows few rows of a deep document', () => {
    let deep: unknown = 1;
    for (let at = 0; at < 1000; at++) deep = { at: deep };
    expect(rowsOf(deep)).toHaveLength(ROWS);
    expect(groupsIn(fieldsOf(deep))).toHaveLength(999);
  });

  test('never hides the field of the address', () => {
    const doc = { many: list(300).map((at) => ({ at: { deep: at } })) };
    const folded = foldedAtFirst(fieldsOf(doc), ['many', 299, 'at', 'deep']);
    expect(rowsOf(doc, folded)).toHaveLength(303);
    expect(rowsOf(doc, folded).at(-1)).toBe('["many",299,"at","deep"]');
    const rows = shownNodes(fieldsOf(doc), folded);
    expect(countAtFirst(rows, ['many', 299, 'at', 'deep'])).toBe(303);
    expect([countAtFirst(rows), countAtFirst(rows, ['gone'])]).toEqual([ROWS, ROWS]);
  });
});
