/** The worker in which the engine lives: the page that draws waits for nothing that the databases do. */
import { fixpoint } from 'fixpoint';
import { type BridgePort, serveEngine } from 'fixpoint/worker';
import { countedSandbox } from './counted-sandbox.ts';
import { sandbox } from './sandbox.ts';

const page = self as BridgePort;
/** On the line of the bridge, which takes no notice of it: so it arrives before the answer that it belongs to. */
const counted = countedSandbox(sandbox, (mapWork) => page.postMessage({ mapWork }));

serveEngine(page, (name, options) => fixpoint(name, { ...options, sandbox: counted }));
