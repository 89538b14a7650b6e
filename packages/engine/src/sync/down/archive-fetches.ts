/** Fetches archives, and tracks which of them arrived, failed or are stored. */

import { type FixpointError, isFixpointError } from '@fixpoint/protocol';
import { type Archive, readArchiveHeader } from '../../archive/pack.ts';
import { append } from '../../base/append.ts';
import { sortHead } from '../../clock/event.ts';
import type { Cid } from '../../codec/cid.ts';
import { asFailure } from '../failures.ts';
import type { ArchiveGroup } from '../ledger/ledger-sealing.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { DOWNLOADS_PARALLEL_MAX, getArchive, inParallel } from '../transport/object-transfer.ts';

/**
 * Stores a big download in steps of this size, so that an interrupted download resumes after the
 * last step.
 */
const STORE_BYTES = 4_000_000;
/** A fetch gives up when more archives than this fail. */
const FAILURES_MAX = 20;

export interface Fetching {
  /**
   * Fetches the archives that aren't here yet, and skips archives that fail. Returns whether any
   * archive arrived.
   * @throws FixpointError when the link fails, or too many archives fail
   */
  bring(cids: readonly Cid[], isHere: (cid: Cid) => boolean): Promise<boolean>;
  /** Returns why the first skipped archive failed. */
  failure(): FixpointError | undefined;
  /** Returns the plain bytes of a fetched archive. */
  plain(cid: Cid): Uint8Array | undefined;
  /** Returns fetched archives that aren't stored yet. */
  taken(): readonly Archive[];
  /** Returns the groups that fetched archives replaced, according to their headers. */
  replaced(): readonly ArchiveGroup[];
  /** Returns fetched archives that are in none of the groups. */
  extra(groups: readonly ArchiveGroup[]): readonly Cid[];
  /** Stores fetched archives without merging their heads. */
  store(): Promise<void>;
}

export function createFetching(
  session: Session,
  connection: Connection,
  onProgress: (archivesLeft: number) => void,
): Fetching {
  const { commits, memory } = session;
  const all = new Set<Cid>();
  const replaced: ArchiveGroup[] = [];
  let taken: Archive[] = [];
  let takenBytes = 0;
  let failure: FixpointError | undefined;
  let failures = 0;

  async function fetchOne(cid: Cid): Promise<void> {
    let archive: Archive;
    try {
      archive = await getArchive(session, connection, cid);
    } catch (cause) {
      failures += 1;
      if (session.connection() !== connection || failures > FAILURES_MAX) throw cause;
      failure ??= asFailure(cause);
      return;
    }
    session.sealing().readMark(archive.bytes);
    all.add(cid);
    memory.given(cid);
    taken.push(archive);
    takenBytes += archive.bytes.length;
    append(replaced, replacedBy(archive));
    if (takenBytes >= STORE_BYTES) await store();
  }

  async function store(): Promise<void> {
    const archives = taken;
    taken = [];
    takenBytes = 0;
    if (archives.length === 0) return;
    const remember = memory.rowsOfSent(archives.map(({ cid }) => cid));
    await commits.mergeRemote({ head: sortHead([]), archives, remember });
    memory.learned(remember);
  }

  return {
    bring: async (cids, isHere) => {
      const missing = [...new Set(cids)].filter((cid) => !all.has(cid) && !isHere(cid));
      const before = all.size;
      let left = missing.length;
      onProgress(left);
      await inParallel(missing, DOWNLOADS_PARALLEL_MAX, async (cid) => {
        await fetchOne(cid);
        left -= 1;
        onProgress(left);
      });
      return all.size > before;
    },
    failure: () => failure,
    plain: (cid) => taken.find((archive) => archive.cid === cid)?.bytes,
    taken: () => taken,
    replaced: () => replaced,
    extra: (groups) => {
      const named = new Set(groups.flat());
      return [...all].filter((cid) => !named.has(cid));
    },
    store,
  };
}

/**
 * Returns the groups that this archive replaced; none if the archive is a part without a header.
 */
function replacedBy({ bytes }: Archive): readonly ArchiveGroup[] {
  try {
    return readArchiveHeader(bytes).compact;
  } catch (cause) {
    if (isFixpointError(cause, 'CORRUPT')) return [];
    throw cause;
  }
}
