/**
 * Runs the map functions that users type. The server sends this worker with its own policy, which
 * blocks all network access.
 */
import wasmUrl from '@jitl/quickjs-ng-wasmfile-release-sync/wasm?url';
import { serveSandbox } from 'fixpoint/sandbox-worker';

serveSandbox(self, { wasmUrl: new URL(wasmUrl, self.location.href).href });
