/**
 * A page whose engine stores databases in OPFS. It gives the test control over its worker. The hash
 * of the page's URL selects how the worker opens databases: see opfs-worker.fixture.ts.
 */
import { connectEngine } from 'fixpoint/bridge';

const stores = new Worker(new URL('opfs-stores-worker.fixture.ts', import.meta.url), { type: 'module' });
const worker = new Worker(new URL('opfs-worker.fixture.ts', import.meta.url), {
  type: 'module',
  name: location.hash,
});
let calls = 0;

/** Calls a method of a store in the worker. */
function callStore(...store: readonly unknown[]): Promise<unknown> {
  calls += 1;
  const id = calls;
  return new Promise((resolve, reject) => {
    const listen = ({ data }: MessageEvent) => {
      if (data.id !== id) return;
      stores.removeEventListener('message', listen);
      if (data.error === undefined) resolve(data.value);
      else reject(new Error(`${data.error.code} ${data.error.message}`));
    };
    stores.addEventListener('message', listen);
    stores.postMessage({ id, store });
  });
}

Object.assign(globalThis, { callStore, engine: connectEngine(worker) });
