import { whenQuiet } from './when-quiet.ts';

/**
 * Lets the console open without a network from now on. A browser that refuses (a private window, say) goes on without. Below the dev server of an
 * application (`@fixpoint/vite-plugin` marks the page) the origin is not the console's to keep.
 */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  if ('mounted' in document.documentElement.dataset) return;
  whenQuiet(() => {
    navigator.serviceWorker.register('/sw.js').catch((cause: Error) => {
      document.documentElement.dataset['offline'] = cause.message;
    });
  });
}
