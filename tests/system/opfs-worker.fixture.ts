/**
 * A worker whose engine stores databases in OPFS. Named `#moves`, it moves databases from IndexedDB
 * to OPFS. Named `#plain`, it uses IndexedDB.
 */
import { fixpoint } from 'fixpoint';
import { opfsStore } from 'fixpoint/opfs';
import { type BridgePort, serveEngine } from 'fixpoint/worker';

const store = self.name === '#plain' ? {} : { store: opfsStore({ migrate: self.name === '#moves' }) };
serveEngine(self as BridgePort, (name, options) => fixpoint(name, { ...options, ...store }));
