/** Whether the console's first page in this tab is shown, so that Back would lead out of it. The router counts pages in the state of the browser's history. */
export const isFirstPage = (): boolean => ((history.state as { idx?: number } | null)?.idx ?? 0) === 0;
