import { whenQuiet } from '../ui/when-quiet.ts';

/**
 * Makes the console available without a network. If the browser refuses, as in a private window,
 * the console works only with a network. Under an app's dev server (`@fixpoint/vite-plugin` marks
 * the page), the origin belongs to the app, so no service worker is installed.
 */
export function keepForOffline(): void {
  if (!import.meta.env.PROD || !('serviceWorker' in navigator)) return;
  if ('mounted' in document.documentElement.dataset) return;
  // The scope is the folder of the script, so it leaves other applications of the origin alone.
  const base = document.documentElement.dataset['base'] ?? '';
  whenQuiet(() => {
    navigator.serviceWorker.register(`${base}/sw.js`).catch((cause: Error) => {
      document.documentElement.dataset['offline'] = cause.message;
    });
  });
}
