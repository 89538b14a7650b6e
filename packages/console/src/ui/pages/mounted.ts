/**
 * Returns whether the console runs under an app's dev server, where `@fixpoint/vite-plugin` marks
 * the page. The origin then belongs to the app and has no cloud, so only the pages of local
 * databases work.
 */
export const isMounted = (): boolean =>
  typeof document !== 'undefined' && 'mounted' in document.documentElement.dataset;

/** Returns the path of the page to open when the address doesn't contain one. */
export const homePath = (): string => (isMounted() ? '/fp/databases' : '/fp/cloud');
