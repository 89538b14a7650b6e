import { describe, expect, test } from 'vitest';
import { fieldsInText } from './json-tree.ts';
import { foldedAtFirst, groupsIn, shownNodes, TREE_ROWS } from './tree-folding.ts';

const fieldsOf = (doc: unknown) => fieldsInText(JSON.stringify(doc)) ?? [];
const list = (length: number) => Array.from({ length }, (_, at) => at);
const rowsOf = (doc: unknown, folded = foldedAtFirst(fieldsOf(doc))) =>
  shownNodes(fieldsOf(doc), folded).map(({ node }) => JSON.stringify(node.path));

describe('the fields that are folded when a tree opens', () => {
  test('are none in a small document', () => {
    expect([...foldedAtFirst(fieldsOf({ a: { b: { c: [1, 2] } } }))]).toEqual([]);
  });

  test('are those without rows left, so that every field further up is visible', () => {
    const doc = { many: list(5000), few: list(3), inside: { more: list(300), last: { x: 1 } } };
    const folded = foldedAtFirst(fieldsOf(doc));
    expect([...folded]).toEqual(['["many"]', '["inside","more"]']);
    expect(rowsOf(doc)).toContain('["inside","last","x"]');
  });

  test('include all that is inside of them, so that unfolding one shows one level', () => {
    const doc = { many: list(300).map((at) => ({ at: { deep: at } })) };
    const folded = foldedAtFirst(fieldsOf(doc));
    expect(folded.size).toBe(601);
    const open = new Set(folded);
    open.delete('["many"]');
    expect(rowsOf(doc, open)).toHaveLength(301);
  });

  test('leave a deep document with few rows', () => {
    let deep: unknown = 1;
    for (let at = 0; at < 1000; at++) deep = { at: deep };
    expect(rowsOf(deep)).toHaveLength(TREE_ROWS);
    expect(groupsIn(fieldsOf(deep))).toHaveLength(999);
  });

  test('never hide the field of the address', () => {
    const doc = { many: list(300).map((at) => ({ at: { deep: at } })) };
    const folded = foldedAtFirst(fieldsOf(doc), ['many', 299, 'at', 'deep']);
    expect(rowsOf(doc, folded)).toHaveLength(303);
    expect(rowsOf(doc, folded).at(-1)).toBe('["many",299,"at","deep"]');
  });
});
