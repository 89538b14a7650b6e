import { fixpoint } from 'fixpoint';
import { type BridgePort, serveEngine } from 'fixpoint/worker';

serveEngine(self as BridgePort, (name, options) => fixpoint(name, options));
