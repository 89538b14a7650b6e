import { FixpointError } from '@fixpoint/protocol';
import type { StoreUrls } from './store-urls.ts';

/**
 * Options of existing applications. Options without a description are accepted and have no effect:
 * this engine decides by itself how it orders ids, merges, compacts and logs.
 */
export interface FireproofOptions {
  /** The location of the database, and whether it is encrypted there. */
  readonly storeUrls?: StoreUrls | undefined;
  /** The location of an existing database's keys: `file://folder` in Node. */
  readonly keyBag?: { readonly url?: string | { toString(): string } | undefined } | undefined;
  /** The engine checks the value but ignores it, and decides by itself when to compact. */
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
  /** Rejected, like `gatewayInterceptor`, because both would change how bytes are stored. */
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
 * Checks the options of an existing application.
 * @throws FixpointError NOT_IMPLEMENTED for hooks into how bytes are stored; REQUEST_INVALID for an
 * unknown strategy, and for values that aren't options
 */
export function checkOptions(options: FireproofOptions): void {
  const { compactStrategy, storeEnDe, gatewayInterceptor, storeUrls, keyBag } = asObject('options', options);
  // Without this check, a text instead of an object would be ignored, and the database would be
  // created in an unintended place.
  asObject('storeUrls', storeUrls ?? {});
  asObject('keyBag', keyBag ?? {});
  if (storeEnDe !== undefined) throw new FixpointError('NOT_IMPLEMENTED', 'storeEnDe');
  if (gatewayInterceptor !== undefined) throw new FixpointError('NOT_IMPLEMENTED', 'gatewayInterceptor');
  if (compactStrategy !== undefined && !STRATEGIES.includes(compactStrategy))
    throw new FixpointError('REQUEST_INVALID', `compactStrategy ${compactStrategy} not found`);
}
