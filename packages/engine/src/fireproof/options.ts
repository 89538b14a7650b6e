import { FixpointError } from '@fixpoint/protocol';
import type { StoreUrls } from './store-urls.ts';

/**
 * Options of existing applications. Those that say nothing here are taken and have no effect: this
 * engine orders, joins, compacts and reports by itself.
 */
export interface FireproofOptions {
  /** Where the database lies, and whether it is encrypted there. */
  readonly storeUrls?: StoreUrls | undefined;
  /** Where the keys of an existing database lie: `file://folder` in Node. */
  readonly keyBag?: { readonly url?: string | { toString(): string } | undefined } | undefined;
  /** Its values are checked; compaction is the engine's own. */
  readonly compactStrategy?: string | undefined;
  readonly writeQueue?: unknown;
  readonly public?: boolean | undefined;
  readonly autoCompact?: number | undefined;
  readonly threshold?: number | undefined;
  readonly meta?: unknown;
  readonly ctx?: unknown;
  readonly env?: unknown;
  readonly logger?: unknown;
  readonly crypto?: unknown;
  readonly txt?: unknown;
  readonly tracer?: unknown;
  /** Refused: what they change is how bytes are stored. */
  readonly storeEnDe?: unknown;
  readonly gatewayInterceptor?: unknown;
}

/** @throws FixpointError REQUEST_INVALID */
export function asObject<T>(what: string, value: T): T & object {
  if (typeof value !== 'object' || value === null)
    throw new FixpointError('REQUEST_INVALID', `${what}: not an object`);
  return value;
}

const STRATEGIES = ['fireproof', 'full', 'no-op'];

/**
 * @throws FixpointError NOT_IMPLEMENTED for hooks into how bytes are stored; REQUEST_INVALID for a
 * strategy that nobody knows, and for what are no options
 */
export function checkOptions(options: FireproofOptions): void {
  const { compactStrategy, storeEnDe, gatewayInterceptor, storeUrls, keyBag } = asObject('options', options);
  // A text in their place would be passed over, and the database lie where nobody meant it to.
  asObject('storeUrls', storeUrls ?? {});
  asObject('keyBag', keyBag ?? {});
  if (storeEnDe !== undefined) throw new FixpointError('NOT_IMPLEMENTED', 'storeEnDe');
  if (gatewayInterceptor !== undefined) throw new FixpointError('NOT_IMPLEMENTED', 'gatewayInterceptor');
  if (compactStrategy !== undefined && !STRATEGIES.includes(compactStrategy))
    throw new FixpointError('REQUEST_INVALID', `compactStrategy ${compactStrategy} not found`);
}
