/**
 * Exports the code that each open of a database loads, after the page's first script: the lazy code
 * of `commit`, and rarely used code of the browser's storage. A separate file for the latter would
 * split shared code into more files, which compress worse.
 */
export * from './commit/lazy-commit-chunk.ts';
export { existingBrowserStore } from './platform/browser/existing-indexeddb.ts';
export { deleteDatabase, removeLooseParts } from './platform/browser/indexeddb-removal.ts';
