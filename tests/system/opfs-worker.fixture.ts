/** A worker whose engine stores databases in OPFS. */
import { fixpoint } from 'fixpoint';
import { opfsStore } from 'fixpoint/opfs';
import { type BridgePort, serveEngine } from 'fixpoint/worker';

serveEngine(self as BridgePort, (name, options) => fixpoint(name, { ...options, store: opfsStore() }));
