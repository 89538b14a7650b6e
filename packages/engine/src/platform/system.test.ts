import { afterEach, expect, test, vi } from 'vitest';
import { systemTime } from './system.ts';

afterEach(() => vi.unstubAllGlobals());

test('runs waiting microtasks before a turn ends, with and without setImmediate', async () => {
  for (const setImmediate of [globalThis.setImmediate, undefined]) {
    vi.stubGlobal('setImmediate', setImmediate);
    const order: string[] = [];
    const { port1, port2 } = new MessageChannel();
    const earlier = new Promise<void>((resolve) => {
      port1.onmessage = () => {
        order.push('earlier');
        port1.close();
        resolve();
      };
    });
    port2.postMessage(undefined);
    queueMicrotask(() => order.push('microtask'));
    await systemTime.turn?.();
    order.push('turn');
    await earlier;
    expect(order[0]).toBe('microtask');
    expect(order).toHaveLength(3);
  }
});
