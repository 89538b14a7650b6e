/** Lists the keys of parts of pages, and groups all keys for the help sheet. */
import { PAGE_SHORTCUTS, type Shortcut } from './shortcut-table.ts';

/**
 * Lists the keys of a table. Handlers: `features/grid/use-row-focus.ts`, `grid-header.tsx`, and
 * `features/documents/table/bulk-bar.tsx`.
 */
export const ROW_SHORTCUTS = {
  move: { keys: ['ArrowUp', 'ArrowDown', 'PageUp', 'PageDown'], text: 'Move from row to row' },
  ends: { keys: ['Home', 'End'], text: 'First and last row' },
  cells: { keys: ['ArrowLeft', 'ArrowRight'], text: 'Move from cell to cell, or heading to heading' },
  open: { keys: ['Enter'], text: 'Open the document, or edit the cell' },
  edit: { keys: ['F2'], text: 'Edit the cell' },
  select: { keys: [' '], text: 'Select the row' },
  block: {
    keys: ['Shift-ArrowUp', 'Shift-ArrowDown', 'Shift-ArrowLeft', 'Shift-ArrowRight'],
    text: 'Select a block of cells',
  },
  copy: { keys: ['Mod-c'], text: 'Copy the cells or the selected rows' },
  paste: { keys: ['Mod-v'], text: 'Paste cells, from this cell on' },
  fill: { keys: ['Mod-d'], text: 'Fill down: copy the first value into the cells below' },
  remove: { keys: ['Delete'], text: 'Delete the document, after a confirmation' },
  clear: { keys: ['Escape'], text: 'Clear the selection' },
} as const satisfies Record<string, Shortcut>;

/**
 * Lists the keys of an editor. Handlers: `features/editor/code-editor.tsx`, and CodeMirror for its
 * own keys.
 */
export const EDITOR_SHORTCUTS = {
  save: { keys: ['Mod-s'], text: 'Save' },
  run: { keys: ['Mod-Enter'], text: 'Run the query' },
  undo: { keys: ['Mod-z', 'Mod-Shift-z'], text: 'Undo and redo typed text' },
  find: { keys: ['Mod-f'], text: 'Find in the text' },
  complete: { keys: ['Ctrl-Space'], text: 'Complete' },
  error: { keys: ['F8'], text: 'Go to the error' },
  author: { keys: ['Alt-b'], text: 'Show who wrote the field' },
  leave: { keys: ['Escape Tab'], text: 'Leave the editor' },
} as const satisfies Record<string, Shortcut>;

/** Lists the keys of the tree of a document. Handler: `features/documents/fields/tree-view.tsx`. */
const TREE_SHORTCUTS = {
  move: { keys: ['ArrowUp', 'ArrowDown', 'Home', 'End'], text: 'Move from field to field' },
  fold: { keys: ['ArrowLeft', 'ArrowRight'], text: 'Fold and unfold' },
  edit: { keys: ['Enter', 'F2'], text: 'Edit the value' },
  order: { keys: ['Alt-ArrowUp', 'Alt-ArrowDown'], text: 'Move a value in its list' },
} as const satisfies Record<string, Shortcut>;

/**
 * Lists the keys of an import and of a schema. Handlers:
 * `features/transfer/import/preview-table.tsx`, `features/schema/use-field-keys.ts`.
 */
const IMPORT_SHORTCUTS = {
  next: { keys: ['n'], text: 'Go to the next problem or outlier' },
  filter: { keys: ['f'], text: 'Filter by the field' },
} as const satisfies Record<string, Shortcut>;

/** Lists the keys of a merge. Handler: `features/documents/merge/merge-keys.ts`. */
const MERGE_SHORTCUTS = {
  next: { keys: ['n'], text: 'Go to the next conflict' },
  mine: { keys: ['1'], text: 'Use my value' },
  theirs: { keys: ['2'], text: 'Use the other value' },
  both: { keys: ['3'], text: 'Use both edits' },
} as const satisfies Record<string, Shortcut>;

/** Groups the keys for the help sheet. */
export const SHORTCUT_GROUPS: readonly { readonly title: string; readonly shortcuts: readonly Shortcut[] }[] =
  [
    { title: 'Everywhere', shortcuts: Object.values(PAGE_SHORTCUTS) },
    { title: 'In a table', shortcuts: Object.values(ROW_SHORTCUTS) },
    { title: 'In the tree of a document', shortcuts: Object.values(TREE_SHORTCUTS) },
    { title: 'In an editor', shortcuts: Object.values(EDITOR_SHORTCUTS) },
    { title: 'In a merge', shortcuts: Object.values(MERGE_SHORTCUTS) },
    { title: 'In an import or a schema', shortcuts: Object.values(IMPORT_SHORTCUTS) },
  ];
