import type { Sandbox } from 'fixpoint';
import { browserSandbox } from 'fixpoint/sandbox';

/** Where the text of map functions runs: QuickJS in a worker whose own policy lets it reach nothing. Made when first used. */
export const sandbox: Sandbox = browserSandbox(
  () => new Worker(new URL('./map-worker.ts', import.meta.url), { type: 'module', name: 'map-worker' }),
);

/** Loads what queries need, so that they still run when the server can no longer be reached. A failure shows with the first query. */
export async function warmSandbox(): Promise<void> {
  try {
    (await sandbox.open('() => {}')).close();
  } catch {
    // The next query tries again, and says what is wrong.
  }
}
