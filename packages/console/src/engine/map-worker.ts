/** The worker in which typed map functions run. It is served with a policy of its own, under which it reaches nothing. */
import wasmUrl from '@jitl/quickjs-ng-wasmfile-release-sync/wasm?url';
import { serveSandbox } from 'fixpoint/sandbox-worker';

serveSandbox(self, { wasmUrl: new URL(wasmUrl, self.location.href).href });
