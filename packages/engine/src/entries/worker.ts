/** `fixpoint/worker`: serves the engine from a worker to a page that uses `fixpoint/bridge`. */
import { localStorageName } from '@fixpoint/protocol';
import type { BridgePort } from '../bridge/line.ts';
import { type OpenInWorker, serveWith } from '../bridge/serve.ts';
import { keepMarksWithPage } from '../platform/browser/written-mark.ts';

export type { BridgePort } from '../bridge/line.ts';

/**
 * Serves databases to a page. A worker's whole file is `serveEngine(self, (name, options) =>
 * fixpoint(name, options))`, optionally with a sandbox among the options. In Node the port is
 * `parentPort`.
 */
export function serveEngine(port: BridgePort, open: OpenInWorker): void {
  serveWith(port, open, (tell) => {
    const learn = keepMarksWithPage(tell);
    return (name, isWritten) => learn(localStorageName(name), isWritten);
  });
}
