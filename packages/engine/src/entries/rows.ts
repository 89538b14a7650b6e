/** `fixpoint/rows`: reads parts of large databases, for tables, exports and searches. */
export { type Rows, rowsOf } from '../database/database-rows.ts';
export { byUse, type FieldUse, type FieldUses } from '../rows/field-use.ts';
export type { Comparison, Filter } from '../rows/filter.ts';
export type { FindOptions, FindProgress } from '../rows/find.ts';
export type { MapRowsOptions } from '../rows/map-rows.ts';
export { type Cell, type CellKind, PREVIEW_MAX, previewOf } from '../rows/preview.ts';
export type { ScanOptions } from '../rows/table-reads.ts';
export type { RowWindow, WindowOptions, WindowRow } from '../rows/window.ts';
