/** Opens a database for its first handle, and closes it with the last one. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { isCount } from '../base/check-options.ts';
import { createLazy } from '../base/lazy.ts';
import { waitAtMost } from '../base/wait-at-most.ts';
import { loadDatabaseChunk } from '../chunks.ts';
import { base58Text } from '../codec/base58.ts';
import type { Commits } from '../commit/commits-interface.ts';
import type { Retention } from '../commit/compaction/live-blocks.ts';
import { openCommits } from '../commit/open-commits.ts';
import { openDatabaseKeys } from '../crypto/database-keys.ts';
import { NO_KEYS } from '../crypto/keys.ts';
import type { IndexesParts } from '../index/indexes.ts';
import { loadOpenChunk } from '../open-chunk.ts';
import type { Durability } from '../ports/byte-store.ts';
import type { ExistingPlace } from '../ports/existing-store.ts';
import type { Platform } from '../ports/platform.ts';
import { settleMode } from '../store/mode.ts';
import { sealRows } from '../store/sealed-rows.ts';
import type { Core, HistoryOption, LazyIndexes } from './core.ts';

export interface CoreOptions {
  readonly durability: Durability;
  /** Protects the keys on platforms that store them in files. */
  readonly passphrase?: string | undefined;
  /** Default true. */
  readonly encrypted?: boolean | undefined;
  /** How much of the past compaction keeps; the first handle's option applies. */
  readonly history?: HistoryOption | undefined;
  readonly existing?: ExistingPlace | false | undefined;
  readonly archivesKept?: number | undefined;
  /** Default false. */
  readonly commitEachWrite?: boolean | undefined;
  /** Default true. */
  readonly stamps?: boolean | undefined;
  /** Default false. */
  readonly signed?: boolean | undefined;
}

/** A close waits this long for indexes to be saved: they can be built again. */
const INDEXES_MS_MAX = 5000;

const SWITCHES = ['commitEachWrite', 'stamps', 'signed'] as const;
type CheckedOptions = Pick<CoreOptions, 'history' | 'archivesKept' | (typeof SWITCHES)[number]>;

/** @throws FixpointError CONFIG_INVALID */
export function checkOptionsOfCore(options: CheckedOptions): void {
  const { history, archivesKept } = options;
  // Reject unclear values, because this option decides how much of the history is deleted.
  for (const name of SWITCHES)
    if (typeof (options[name] === undefined || options[name]) !== 'boolean')
      throw new FixpointError('CONFIG_INVALID', `${name} is not a boolean`);
  if (options.signed === true && options.stamps === false)
    throw new FixpointError('CONFIG_INVALID', 'signed needs stamps');
  if (history !== undefined && history !== 'all' && !isCount(history?.commits))
    throw new FixpointError('CONFIG_INVALID', "history is neither 'all' nor a number of commits");
  if (archivesKept !== undefined && (!isCount(archivesKept) || archivesKept === 0))
    throw new FixpointError('CONFIG_INVALID', 'archivesKept is not a number of archives');
}

const retentionOf = (history: HistoryOption): Retention => ({
  commits: history === 'all' ? Number.POSITIVE_INFINITY : history.commits,
  bytes: Number.POSITIVE_INFINITY,
});

/** Only an explicit `false` turns encryption off. */
const isEncryptedBy = ({ encrypted }: CoreOptions): boolean => encrypted !== false;

interface Shared {
  readonly isEncrypted: boolean;
  readonly opened: Promise<Core>;
  handles: number;
}

const shared = new WeakMap<Platform, Map<string, Shared>>();
/**
 * Databases that are being removed. Opening or removing a database of the same name waits for the
 * removal, and so never finds a half-removed database.
 */
const removals = new WeakMap<Platform, Map<string, Promise<void>>>();

function namesIn<T>(places: WeakMap<Platform, Map<string, T>>, platform: Platform): Map<string, T> {
  const names = places.get(platform) ?? new Map<string, T>();
  places.set(platform, names);
  return names;
}

/**
 * @throws FixpointError CORRUPT, STORE_LOCKED, STORE_UNREADABLE, MISSING_KEYBAG, KEY_BAG_LOCKED,
 * KEY_UNKNOWN, MODE_MISMATCH
 */
async function openCore(name: string, platform: Platform, options: CoreOptions): Promise<Core> {
  await removals.get(platform)?.get(name);
  const isEncrypted = isEncryptedBy(options);
  // Every open needs this code. If it can't be loaded, opening the commits reports that.
  loadOpenChunk().catch(() => undefined);
  const opening = platform.openStore(name, options.durability);
  const settled = opening.then(async (store) => {
    const rows = await store.keys('');
    await settleMode(store, rows, isEncrypted);
    return isEncrypted && rows.length > 0;
  });
  // The key bag is stored separately, so it opens in parallel.
  const keysOpening = openDatabaseKeys(name, {
    bag: platform.keyBag,
    random: platform.random,
    hasContent: () => settled,
    passphrase: options.passphrase,
  });
  // Both promises are awaited below. If both reject, only one failure is reported there, and the
  // other must not become an unhandled rejection.
  for (const part of [settled, keysOpening]) part.catch(() => undefined);
  const store = await opening;
  try {
    await settled;
    const keys = await keysOpening;
    const sealed = sealRows(store, keys, platform.random);
    const commits = await openCommits({
      store: isEncrypted ? sealed : store,
      keys: isEncrypted ? keys : { keys: () => NO_KEYS },
      ledgerKeys: keys,
      channel: platform.channel(name),
      time: platform.time,
      newWriter: () => base58Text(platform.random.bytes(8)),
      report: platform.report,
      retention: options.history && retentionOf(options.history),
      archivesKept: options.archivesKept,
      openingLimits: platform.openingLimits,
      commitEachWrite: options.commitEachWrite === true,
      newDevice: options.stamps === false ? undefined : platform.random.bytes,
      isSigned: options.signed,
      load: loadOpenChunk,
    });
    await adoptExisting(name, commits, platform, options.existing);
    const { time, report } = platform;
    const indexes = lazyIndexes({ source: commits, followed: commits, local: commits.local, time, report });
    const rewrite = async () => {
      if (isEncrypted) await (await loadDatabaseChunk()).resealRows(store, sealed, keys);
    };
    const core: Core = { name, platform, commits, indexes, rewrite, reading: new Set(), onClosed: new Set() };
    store.onClosed?.((reason) => void closedElsewhere(core, reason).catch(report));
    return core;
  } catch (cause) {
    await store.close();
    throw cause;
  }
}

/**
 * If the database is still empty, imports a database of `@fireproof/core` that is stored at the
 * same place.
 * @throws FixpointError the reason why the existing database cannot be read; opening an empty
 * database instead would hide the user's documents
 */
async function adoptExisting(
  name: string,
  commits: Commits,
  platform: Platform,
  place: ExistingPlace | false = {},
): Promise<void> {
  if (place === false || commits.snapshot().head.length > 0) return;
  const existing = await platform.existingStore?.(name, place);
  if (existing !== undefined) await (await loadDatabaseChunk()).adoptDatabase(commits, existing, name, place);
}

/** Adds a handle to the database. The first handle opens the database. */
export function acquireCore(name: string, platform: Platform, options: CoreOptions): Promise<Core> {
  const byName = namesIn(shared, platform);
  const known = byName.get(name);
  if (known !== undefined) {
    if (known.isEncrypted !== isEncryptedBy(options))
      return Promise.reject(new FixpointError('MODE_MISMATCH', name));
    known.handles += 1;
    return known.opened;
  }
  const opened = openCore(name, platform, options);
  byName.set(name, { opened, handles: 1, isEncrypted: isEncryptedBy(options) });
  opened.catch(() => byName.delete(name));
  return opened;
}

/**
 * Releases the handle that received `opened`. The last handle closes the database. A handle that
 * failed to open has nothing to close.
 */
export async function releaseCore(name: string, platform: Platform, opened: Promise<Core>): Promise<void> {
  const byName = shared.get(platform);
  const known = byName?.get(name);
  if (known?.opened !== opened) return;
  known.handles -= 1;
  if (known.handles > 0) return;
  byName?.delete(name);
  const core = await known.opened;
  await waitAtMost(platform.time, INDEXES_MS_MAX, core.indexes.close({ save: true }));
  await core.commits.close();
  for (const tell of core.onClosed) tell();
}

/**
 * Closes the handles in this tab or process after another tab or process destroyed or moved the
 * database, or after the storage was removed.
 */
async function closedElsewhere(core: Core, reason: FixpointError): Promise<void> {
  const { name, platform, indexes, commits, onClosed } = core;
  const known = shared.get(platform)?.get(name);
  if (known === undefined || (await known.opened.catch(() => undefined)) !== core) return;
  shared.get(platform)?.delete(name);
  try {
    await indexes.close({ save: false });
    await commits.close({ save: false });
  } finally {
    for (const tell of onClosed) tell(isFixpointError(reason, 'DATABASE_CLOSED') ? undefined : reason);
  }
}

/**
 * Closes all handles of the database and removes everything that it stored.
 * @param detached resolves when sync has stopped
 */
export function destroyCore(
  name: string,
  platform: Platform,
  durability: Durability,
  detached: Promise<void>,
): Promise<void> {
  const known = shared.get(platform)?.get(name);
  shared.get(platform)?.delete(name);
  const running = namesIn(removals, platform);
  const removed = Promise.all([loadDatabaseChunk(), running.get(name), detached]).then(([{ removeAll }]) =>
    removeAll(name, platform, durability, known?.opened),
  );
  const settled = removed
    .catch(() => undefined)
    .then(() => {
      if (running.get(name) === settled) running.delete(name);
    });
  running.set(name, settled);
  return removed;
}

/** Returns the indexes of a database; their code loads on first use. */
function lazyIndexes(parts: IndexesParts): LazyIndexes {
  const { load, peek } = createLazy(async () => (await loadDatabaseChunk()).createIndexes(parts));
  return {
    load,
    close: async (options) => (await peek()?.catch(() => undefined))?.close(options),
  };
}
