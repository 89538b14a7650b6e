/** `fixpoint/worker`: serves the engine from inside of a worker to a page that holds `fixpoint/bridge`. */
export type { BridgePort } from './bridge/line.ts';
export { serveEngine } from './bridge/serve.ts';
