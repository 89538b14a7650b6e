/** The worker in which the engine lives: the page that draws waits for nothing that the databases do. */
import { fixpoint } from 'fixpoint';
import { type BridgePort, serveEngine } from 'fixpoint/worker';
import { sandbox } from './sandbox.ts';

serveEngine(self as BridgePort, (name, options) => fixpoint(name, { ...options, sandbox }));
