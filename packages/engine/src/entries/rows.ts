/** `fixpoint/rows`: reads parts of large databases, for tables, exports and searches. */
export { createTotal, type Total } from '../base/total.ts';
export { type Rows, rowsOf } from '../database/database-rows.ts';
export { fieldPath } from '../documents/field-path.ts';
export type { SearchOptions, TextSearch } from '../find/find-ids.ts';
export { patternProblem } from '../find/text-pattern.ts';
export type { CursorOptions, FindProgress } from '../rows/cursor-options.ts';
export { byUse, type FieldUse, type FieldUses } from '../rows/field-use.ts';
export { type Cell, type CellKind, PREVIEW_MAX, previewOf } from '../rows/preview.ts';
export type { ScanOptions } from '../rows/table-reads.ts';
export type { RowWindow, WindowOptions, WindowRow } from '../rows/window.ts';
