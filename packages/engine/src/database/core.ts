/** What the handles of one database share: opened once, closed with the last handle. */
import { FixpointError } from '@fixpoint/protocol';
import { type Commits, openCommits } from '../commit/open.ts';
import { openDatabaseKeys } from '../crypto/database-keys.ts';
import { createIndexes, type Indexes } from '../index/indexes.ts';
import type { Durability } from '../ports/byte-store.ts';
import type { Platform } from '../ports/platform.ts';
import { sealRows } from '../store/sealed-rows.ts';

export interface Core {
  readonly name: string;
  readonly platform: Platform;
  readonly commits: Commits;
  readonly indexes: Indexes;
  readonly onClosed: Set<() => void>;
}

export interface CoreOptions {
  readonly durability: Durability;
  /** Guards the keys, where the platform keeps them in files. */
  readonly passphrase?: string | undefined;
}

interface Shared {
  readonly opened: Promise<Core>;
  handles: number;
}

const shared = new WeakMap<Platform, Map<string, Shared>>();

/** @throws FixpointError CORRUPT, STORE_LOCKED, STORE_UNREADABLE, MISSING_KEYBAG, KEY_BAG_LOCKED, KEY_UNKNOWN */
async function openCore(name: string, platform: Platform, options: CoreOptions): Promise<Core> {
  const store = await platform.openStore(name, options.durability);
  try {
    const hasContent = (await store.keys('')).length > 0;
    const keys = await openDatabaseKeys(name, {
      bag: platform.keyBag,
      random: platform.random,
      hasContent,
      passphrase: options.passphrase,
    });
    const commits = await openCommits({
      store: sealRows(store, keys, platform.random),
      keys,
      channel: platform.channel(name),
      time: platform.time,
      report: platform.report,
    });
    const indexes = createIndexes(commits);
    return { name, platform, commits, indexes, onClosed: new Set() };
  } catch (cause) {
    await store.close();
    throw cause;
  }
}

/** One more handle of the database. */
export function acquireCore(name: string, platform: Platform, options: CoreOptions): Promise<Core> {
  const byName = shared.get(platform) ?? new Map<string, Shared>();
  shared.set(platform, byName);
  const known = byName.get(name);
  if (known !== undefined) {
    known.handles += 1;
    return known.opened;
  }
  const opened = openCore(name, platform, options);
  byName.set(name, { opened, handles: 1 });
  opened.catch(() => byName.delete(name));
  return opened;
}

/** One handle less; the last one closes the database. */
export async function releaseCore(name: string, platform: Platform): Promise<void> {
  const byName = shared.get(platform);
  const known = byName?.get(name);
  if (known === undefined) throw new FixpointError('LEDGER_SHELL_MISMATCH');
  known.handles -= 1;
  if (known.handles > 0) return;
  byName?.delete(name);
  const core = await known.opened;
  await core.commits.close();
  for (const tell of core.onClosed) tell();
}

/** Closes the database under all of its handles and removes what it stored. */
export async function destroyCore(name: string, platform: Platform, durability: Durability): Promise<void> {
  const known = shared.get(platform)?.get(name);
  shared.get(platform)?.delete(name);
  const core = await known?.opened.catch(() => undefined);
  await core?.commits.close();
  const store = await platform.openStore(name, durability);
  await store.destroy();
  for (const tell of core?.onClosed ?? []) tell();
}
