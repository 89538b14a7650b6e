import { createListeners, type HintBus } from './hint-bus.ts';

/** Delivers hints inside one process. */
export function localBus(): HintBus {
  const { tell, subscribe } = createListeners();
  return { publish: tell, subscribe, close: async () => undefined };
}
