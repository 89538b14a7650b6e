/**
 * Returns whether this is the console's first page in this tab, so that Back would leave the
 * console. The router counts pages in the browser's history state.
 */
export const isFirstPage = (): boolean => ((history.state as { idx?: number } | null)?.idx ?? 0) === 0;
