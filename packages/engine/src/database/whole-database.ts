/** Rarely used operations on a whole database: another key, and its removal. */
import { isFixpointError } from '@fixpoint/protocol';
import type { Durability } from '../ports/byte-store.ts';
import type { Platform } from '../ports/platform.ts';
import type { Core } from './core.ts';
import type { RotatedKey } from './database-results.ts';

/** See `Database.rotateKey`. */
export async function rotateKey(
  { commits, rewrite: rewriteAll }: Core,
  { rewrite = false }: { readonly rewrite?: boolean } = {},
): Promise<RotatedKey> {
  const { id } = await commits.keys.rotate();
  if (rewrite) await rewriteAll();
  return { keyId: id };
}

/** A database can be destroyed after these errors of opening: one in OPFS is STORE_UNREADABLE. */
const REMOVABLE = ['CORRUPT', 'STORE_LOST', 'STORE_UNREADABLE'] as const;

/** @param opened the database if it is open; closed first */
export async function removeAll(
  name: string,
  platform: Platform,
  durability: Durability,
  opened: Promise<Core> | undefined,
): Promise<void> {
  const core = await opened?.catch(() => undefined);
  await core?.indexes.close({ save: false });
  await core?.commits.close({ save: false });
  const store = await platform.openStore(name, durability).catch((cause: unknown) => {
    const isRemovable = REMOVABLE.some((code) => isFixpointError(cause, code));
    if (!isRemovable || platform.destroyStore === undefined) throw cause;
    return undefined;
  });
  await (store === undefined ? platform.destroyStore?.(name) : store.destroy());
  for (const tell of core?.onClosed ?? []) tell();
}
