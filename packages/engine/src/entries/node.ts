import { resolve } from 'node:path';
import { FixpointError } from '@fixpoint/protocol';
import type { Collections, DatabaseWith } from '../collections/collection-types.ts';
import type { DatabaseOf } from '../collections/typed-database.ts';
import type { Core } from '../database/core.ts';
import type { Database, DatabaseOptions } from '../database/database.ts';
import { type Acquire, openDatabase } from '../database/open.ts';
import { acquireCore, releaseCore } from '../database/open-core.ts';
import { acceptBytesOfAllRealms } from '../platform/bytes-of-realms.ts';
import { memoryPlatform } from '../platform/memory-platform.ts';
import { checkPassphrase } from '../platform/node/file-key-bag.ts';
import { nodePlatform } from '../platform/node/node-platform.ts';
import type { Platform } from '../ports/platform.ts';

export * from './exports.ts';

const platforms = new Map<string, Platform>();

function platformOf(directory: string): Platform {
  const platform = platforms.get(directory) ?? nodePlatform(directory);
  platforms.set(directory, platform);
  return platform;
}

/**
 * Returns a handle of an encrypted database in a folder, which is opened or created when the handle
 * is first used. Handles of the same name and folder share it. With `collections`, the handle has
 * each of them as a property. `fixpoint<T>(name)` returns a handle for documents of type `T`, which
 * only the compiler checks.
 * @throws FixpointError MISSING_NAME, CONFIG_INVALID
 */
export function fixpoint<C extends Collections>(
  name: string,
  options: DatabaseOptions & { readonly collections: C },
): DatabaseWith<C>;
export function fixpoint(name: string, options?: DatabaseOptions): Database;
export function fixpoint<T extends object>(name: string, options?: DatabaseOptions): DatabaseOf<T>;
// Again, because `ReturnType` takes the last signature.
export function fixpoint(name: string, options?: DatabaseOptions): Database;
export function fixpoint(
  name: string,
  { collections = {}, ...options }: DatabaseOptions & { readonly collections?: Collections } = {},
): object {
  const [first] = Object.values(collections);
  if (first === undefined) return open(name, options);
  return first.openAll((all) => open(name, all), options, collections);
}

function open(name: string, options: DatabaseOptions): Database {
  const { directory: given, passphrase = process.env['FIXPOINT_PASSPHRASE'] || undefined } = options;
  if (given !== undefined && typeof given !== 'string')
    throw new FixpointError('CONFIG_INVALID', 'directory is not a string');
  const directory = given ?? process.env['FIXPOINT_DIR'];
  if (isTestRun()) acceptBytesOfAllRealms();
  const platform = platformOf(resolve(directory ?? '.fixpoint/databases'));
  checkPassphrase(passphrase);
  const { store } = options;
  if (store !== undefined && typeof store?.platform !== 'function')
    throw new FixpointError('CONFIG_INVALID', 'store is not a store');
  const isTest = directory === undefined && isTestRun() && store === undefined;
  if (isTest || options.storage === 'memory') {
    const { passphrase: _, ...others } = options;
    return openDatabase(name, memoryPlatform(platform), {
      ...(isTest ? others : options),
      encrypted: options.encrypted === true,
    });
  }
  return openDatabase(
    name,
    store?.platform(platform) ?? platform,
    { ...options, passphrase },
    acquireWhenUsed,
  );
}

/**
 * Opens a database with the first use of its handle, so that a server that renders components can
 * load modules that create handles, without opening anything.
 */
const acquireWhenUsed: Acquire = (name, platform, options) => {
  let begin = () => {};
  const begins = new Promise<void>((resolve) => {
    begin = resolve;
  });
  let settle: (opened: Promise<Core>) => void = () => {};
  const opening = new Promise<Core>((resolve) => {
    settle = resolve;
  });
  let acquired: Promise<Core> | undefined;
  // At once: `destroy` in the same turn must find what it destroys.
  const use = () => {
    if (acquired !== undefined) return;
    acquired = acquireCore(name, platform, options);
    settle(acquired);
    begin();
  };
  return {
    opening,
    release: async () => {
      if (acquired !== undefined) await releaseCore(name, platform, acquired);
    },
    begins,
    use,
  };
};

/** Runners set the variables in all processes of a test. */
function isTestRun(): boolean {
  const { VITEST, JEST_WORKER_ID } = process.env;
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } };
  return Boolean(VITEST ?? JEST_WORKER_ID) || /jsdom|happydom/i.test(navigator?.userAgent ?? '');
}
