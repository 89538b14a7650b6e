import type { Sandbox } from 'fixpoint';
import { browserSandbox } from 'fixpoint/sandbox';

/** Where the text of map functions runs: QuickJS in a worker whose own policy lets it reach nothing. Made when first used. */
export const sandbox: Sandbox = browserSandbox(
  () => new Worker(new URL('./map-worker.ts', import.meta.url), { type: 'module', name: 'map-worker' }),
);
