/** A worker with single stores in OPFS, for the contract suite. */
import { sha256 } from '../../packages/engine/src/codec/sha256.ts';
import { opfsOpener } from '../../packages/engine/src/platform/opfs/opfs-store.ts';
import { systemRandom, systemTime } from '../../packages/engine/src/platform/system.ts';
import type { ByteStore } from '../../packages/engine/src/ports/byte-store.ts';

const open = opfsOpener({ sha256, random: systemRandom, time: systemTime, report: console.error });
const stores = new Map<number, ByteStore>();
let opened = 0;

async function call([method, ...args]: readonly unknown[]): Promise<unknown> {
  if (method !== 'open') {
    const [id, ...rest] = args as [number, ...unknown[]];
    // biome-ignore lint/suspicious/noExplicitAny: any method of the store
    return (stores.get(id) as any)[method as string](...rest);
  }
  const [name] = args as [string];
  opened += 1;
  stores.set(opened, await open(name, 'strict'));
  return opened;
}

addEventListener('message', (event) => {
  const { data } = event as MessageEvent<{ store: readonly unknown[] }>;
  const reply = (answer: object) => postMessage({ ...data, ...answer });
  call(data.store).then(
    (value) => reply({ value }),
    (error) => reply({ error: { code: error.code, message: String(error) } }),
  );
});
