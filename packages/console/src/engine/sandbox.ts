import type { Sandbox } from 'fixpoint';
import { browserSandbox } from 'fixpoint/sandbox';

/**
 * Runs the text of map functions: QuickJS in a worker whose policy blocks all network access.
 * Created on first use.
 */
export const sandbox: Sandbox = browserSandbox(
  () => new Worker(new URL('./map-worker.ts', import.meta.url), { type: 'module', name: 'map-worker' }),
);
