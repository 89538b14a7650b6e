/** Fetches all files that documents refer to, before they are read. */
import type { FixpointError } from '@fixpoint/protocol';
import type { Cid } from '../../codec/cid.ts';
import { asFailure } from '../failures.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { DOWNLOADS_PARALLEL_MAX, inParallel } from '../transport/object-transfer.ts';

export interface WantedFiles {
  /** Archives to fetch, as far as this device knows them. */
  readonly wanted: Set<Cid>;
  /** Documents whose files aren't known yet. */
  changedIds: Set<string> | 'all';
  /** Number of consecutive runs in which a file wasn't available. */
  failedRuns: number;
}

/**
 * Learns which files are wanted, and fetches them.
 * @returns whether all of them are on this device; false without a connection
 * @throws FixpointError the reason why a file couldn't be fetched, after fetching the others
 */
export async function fetchWanted(
  session: Session,
  files: WantedFiles,
  fetchOnce: (car: Cid, connection: Connection) => Promise<void>,
  changed: () => void,
): Promise<boolean> {
  const { wanted } = files;
  await learnWanted(session, files);
  for (const car of wanted) if (session.commits.files.list().has(car)) wanted.delete(car);
  changed();
  const connection = session.connection();
  if (connection === undefined) return false;
  let failure: FixpointError | undefined;
  await inParallel([...wanted], DOWNLOADS_PARALLEL_MAX, async (car) => {
    try {
      await fetchOnce(car, connection);
      wanted.delete(car);
      changed();
    } catch (cause) {
      if (session.connection() !== connection) throw cause;
      failure ??= asFailure(cause);
    }
  });
  files.failedRuns = failure === undefined ? 0 : files.failedRuns + 1;
  // A damaged or late file isn't stored and is retried later. The other files are stored.
  if (failure !== undefined) throw failure;
  return true;
}

async function learnWanted({ commits }: Session, files: WantedFiles): Promise<void> {
  const ids = files.changedIds;
  files.changedIds = new Set();
  try {
    for (const car of await commits.fileArchivesNamed(ids === 'all' ? undefined : [...ids]))
      files.wanted.add(car);
  } catch (cause) {
    files.changedIds = 'all';
    throw cause;
  }
}
