/** Decides which fields a tree or a form shows, so that large documents open quickly. */
import type { FieldPath } from '../../../values/field-parameter.ts';
import { keyOfPath } from './field-edits.ts';
import type { FieldNode } from './json-tree.ts';

/** Rows that a tree or a form shows at first, and that it adds each time the user asks. */
export const ROWS = 100;

export interface ShownNode {
  readonly node: FieldNode;
  readonly level: number;
  readonly siblings: readonly FieldNode[];
}

/** Returns the rows of a tree, from top to bottom. */
export function shownNodes(fields: readonly FieldNode[], folded: ReadonlySet<string>): readonly ShownNode[] {
  const rows: ShownNode[] = [];
  const add = (siblings: readonly FieldNode[], level: number): void => {
    for (const node of siblings) {
      rows.push({ node, level, siblings });
      if (!folded.has(keyOfPath(node.path))) add(node.children, level + 1);
    }
  };
  add(fields, 1);
  return rows;
}

/**
 * Returns how many rows are shown at first.
 * @param field a field that must be visible
 */
export function countAtFirst(rows: readonly ShownNode[], field: FieldPath = []): number {
  const key = keyOfPath(field);
  return Math.max(ROWS, rows.findIndex(({ node }) => keyOfPath(node.path) === key) + 1);
}

/** Returns the keys of all fields that have fields or values of their own. */
export const groupsIn = (fields: readonly FieldNode[]): readonly string[] =>
  groupNodes(fields).map(({ path }) => keyOfPath(path));

/** Lists the fields level by level, because those further up say more about the document. */
function groupNodes(fields: readonly FieldNode[]): readonly FieldNode[] {
  const found = fields.filter(({ children }) => children.length > 0);
  for (const { children } of found)
    for (const child of children) if (child.children.length > 0) found.push(child);
  return found;
}

/**
 * Returns the keys of the fields that are folded when the tree opens: none if the document is
 * small; else those for which there are no rows left.
 * @param field a field that must be visible
 */
export function foldedAtFirst(fields: readonly FieldNode[], field?: FieldPath): ReadonlySet<string> {
  const folded = new Set<string>();
  const above = new Set((field ?? []).map((_, at) => keyOfPath((field ?? []).slice(0, at))));
  let rows = fields.length;
  for (const { path, children } of groupNodes(fields)) {
    const key = keyOfPath(path);
    const isInFolded = folded.has(keyOfPath(path.slice(0, -1)));
    if (!above.has(key) && (isInFolded || rows + children.length > ROWS)) folded.add(key);
    else rows += children.length;
  }
  return folded;
}
