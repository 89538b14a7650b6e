/** Finds the archives of this database that the remote may lack: the upload queue. */
import { isFixpointError } from '@fixpoint/protocol';
import { decodeHeader, isHeader } from '../../archive/pack.ts';
import type { Cid } from '../../codec/cid.ts';
import { remember } from '../ledger/remote-memory.ts';
import type { Session } from '../sync-session.ts';

/**
 * Returns a function that finds the archives that the remote may lack. The remote has the content
 * of an archive if it has all archives that were merged into that archive.
 */
export function unsentFinder({ commits, memory }: Session): () => Promise<Cid[]> {
  const mergedFrom = new Map<Cid, readonly Cid[]>();

  async function readMergedFrom(archive: Cid): Promise<readonly Cid[]> {
    const known = mergedFrom.get(archive);
    if (known !== undefined) return known;
    const first = await commits.firstBlockOf(archive);
    const replaced = first !== undefined && isHeader(first) ? decodeHeader(first).compact.flat() : [];
    mergedFrom.set(archive, replaced);
    return replaced;
  }

  return async () => {
    const unsent: Cid[] = [];
    const merged: Cid[] = [];
    const there = new Set(commits.archiveIds());
    for (const cid of there) {
      if (memory.holds(cid) || memory.hasGiven(cid)) continue;
      const sources = await unlessGone(() => readMergedFrom(cid));
      if (sources === undefined) continue;
      if (sources.length > 0 && sources.every(memory.holds)) merged.push(cid);
      else unsent.push(cid);
    }
    if (merged.length > 0) {
      const gone = memory.sentArchives().filter((cid) => !there.has(cid));
      const rows = [...memory.rowsOfSent(merged), ...memory.rowsOfGone(gone)];
      await remember({ commits, memory }, rows, merged);
    }
    for (const cid of mergedFrom.keys()) if (!there.has(cid)) mergedFrom.delete(cid);
    return unsent;
  };
}

/** Reads an archive. Returns undefined when compaction has merged the archive into another one. */
export async function unlessGone<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (cause) {
    if (isFixpointError(cause, 'MISSING_CARS')) return undefined;
    throw cause;
  }
}
