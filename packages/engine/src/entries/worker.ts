/** `fixpoint/worker`: serves the engine from a worker to a page that uses `fixpoint/bridge`. */
import { localStorageName } from '@fixpoint/protocol';
import type { BridgePort } from '../bridge/line.ts';
import { type OpenInWorker, serveWith } from '../bridge/serve.ts';
import { keepMarksWithPage } from '../platform/browser/written-mark.ts';

export type { BridgePort } from '../bridge/line.ts';

/**
 * Serves databases to a page. The file of a worker needs only `serveEngine(self, (name, options) =>
 * fixpoint(name, options))`. Add a `sandbox` to the options if you need one. In Node the port is
 * `parentPort`.
 */
export function serveEngine(port: BridgePort, open: OpenInWorker): void {
  serveWith(port, open, (tell) => {
    const learn = keepMarksWithPage(tell);
    return (name, isWritten) => learn(localStorageName(name), isWritten);
  });
}
