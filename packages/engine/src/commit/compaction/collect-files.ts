/** Removes archives of attached files that no document refers to. */
import { FixpointError } from '@fixpoint/protocol';
import { textOf } from '../../base/bytes.ts';
import { type Cid, parseCid } from '../../codec/cid.ts';
import type { ByteStore, Guard } from '../../ports/byte-store.ts';
import type { Time } from '../../ports/time.ts';
import { type FileArchives, looseRow, noLooseRow } from '../../store/file-archives.ts';
import { fileKey, LOOSE_FILES, nameIn } from '../../store/names.ts';
import type { Readers, Snapshot } from '../snapshot.ts';
import { liveFileArchives } from './live-files.ts';

/**
 * Compaction keeps an unreferenced file archive for this long, because a pending write, in this or
 * another tab, may be about to refer to the archive.
 */
export const LOOSE_MS = 3_600_000;

/**
 * Removes archives that no document has referred to for {@link LOOSE_MS}. Records the time for
 * newly unreferenced archives.
 */
export async function collectFiles(
  { store, archives, time }: { store: ByteStore; archives: FileArchives; time: Time },
  snapshot: Snapshot,
  readers: Readers,
  guard: Guard,
): Promise<void> {
  await archives.refresh();
  if (archives.list.size === 0) return;
  const live = await liveFileArchives(snapshot, readers);
  const since = await looseSince(store);
  const now = time.now();
  const gone = [...archives.list].filter(
    (cid) => !live.has(cid) && now - (since.get(cid) ?? now) >= LOOSE_MS,
  );
  const removed = new Set(gone);
  const changes = [
    ...gone.map((cid) => ({ key: fileKey(cid), bytes: undefined })),
    ...[...since.keys()].filter((cid) => live.has(cid) || removed.has(cid)).map(noLooseRow),
    ...[...archives.list].filter((cid) => !live.has(cid) && !since.has(cid)).map((cid) => looseRow(cid, now)),
  ];
  // A concurrent commit may refer to one of these archives. Then the head has changed, so the write
  // is rejected, and a later run tries again.
  if (changes.length > 0 && (await store.write(changes, guard))) archives.changed([], gone);
}

/**
 * Returns, for each unreferenced archive, since when no document has referred to it.
 * @throws FixpointError CORRUPT
 */
async function looseSince(store: ByteStore): Promise<ReadonlyMap<Cid, number>> {
  const rows = await store.readPrefix(LOOSE_FILES);
  return new Map(
    [...rows].map(([key, bytes]) => {
      const since = Number(textOf(bytes));
      if (!Number.isFinite(since)) throw new FixpointError('CORRUPT', 'row of a loose file');
      return [parseCid(nameIn(LOOSE_FILES, key)), since] as const;
    }),
  );
}
