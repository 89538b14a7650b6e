import type { HintBus } from './hint-bus.ts';
import { localBus } from './local-bus.ts';
import { natsBus } from './nats-bus.ts';
import { postgresBus } from './postgres-bus.ts';

/** Opens the bus by which processes notify each other of new metas. */
export type BusConfig =
  | { readonly kind: 'local' }
  | { readonly kind: 'postgres'; readonly url: string }
  | { readonly kind: 'nats'; readonly urls: readonly string[] };

/**
 * @param report receives broken connections
 * @throws FixpointError CONFIG_INVALID
 */
export async function openBus(config: BusConfig, report: (error: unknown) => void): Promise<HintBus> {
  if (config.kind === 'nats') return natsBus(config.urls, report);
  return config.kind === 'postgres' ? postgresBus(config.url, report) : localBus();
}
