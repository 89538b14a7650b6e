/**
 * Runs the map functions that users type. The server sends this worker with its own policy, which
 * blocks all network access.
 */
import wasmUrl from '@jitl/quickjs-ng-wasmfile-release-sync/wasm?url';
import { serveSandbox } from 'fixpoint/sandbox-worker';

// The page sends one message: the port to the engine.
self.addEventListener(
  'message',
  ({ data: port }: MessageEvent<MessagePort>) => {
    serveSandbox(port, { wasmUrl: new URL(wasmUrl, self.location.href).href });
    port.start();
  },
  { once: true },
);
