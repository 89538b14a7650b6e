/**
 * Whether the console stands below the dev server of an application: `@fixpoint/vite-plugin` marks the page. The origin is the application's
 * then, and has no cloud: only the local half of the console is of use.
 */
export const isMounted = (): boolean =>
  typeof document !== 'undefined' && 'mounted' in document.documentElement.dataset;

/** Where somebody goes who named no page. */
export const homePath = (): string => (isMounted() ? '/fp/databases' : '/fp/cloud');
