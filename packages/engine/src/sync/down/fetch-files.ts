/** Fetches attached files: one on demand, or all that documents refer to, as documents arrive. */
import type { FixpointError } from '@fixpoint/protocol';
import { fileBlocks } from '../../archive/file-archive.ts';
import type { Cid } from '../../codec/cid.ts';
import type { BackOffPlan } from '../back-off.ts';
import { asFailure } from '../failures.ts';
import { createRequests, createRunner } from '../job-runner.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { DOWNLOADS_PARALLEL_MAX, getObject, inParallel } from '../transport/object-transfer.ts';
import { withRetries } from '../transport/transfer-retries.ts';

/** Retries of files that weren't available. */
const RETRY: BackOffPlan = { firstMs: 500, mostMs: 8000, patientAfter: 50, patientMostMs: 300_000 };
/** Failed runs after which a file counts as more than just late. */
const TRIES_PATIENCE = 3;

export interface FileFetches {
  /** Reports changed documents; undefined means all of them. */
  documentsChanged(ids: readonly string[] | undefined): void;
  linkOpened(): void;
  /** Returns the number of archives to fetch, as far as it is known. */
  waiting(): number;
  failure(): FixpointError | undefined;
  /** Returns why a file won't arrive soon; undefined while it still may. */
  verdict(): FixpointError | undefined;
  /**
   * Returns a function that reports whether a file that documents refer to now is still missing.
   */
  pending(): () => boolean;
  settled(): Promise<void>;
  stop(): void;
}

/**
 * @param connected waits for a connection that is opening.
 * @param all whether to fetch files before they are read
 */
export function createFileFetches(
  session: Session,
  connected: () => Promise<Connection>,
  all: boolean,
  changed: () => void,
): FileFetches {
  const { commits, memory, platform } = session;
  const running = new Map<Cid, Promise<void>>();
  const wanted = new Set<Cid>();
  let changedIds: Set<string> | 'all' = all ? 'all' : new Set();
  let failedRuns = 0;
  /** Requests to have all files here. */
  const requests = createRequests();

  function fetchOnce(car: Cid, connection: Connection): Promise<void> {
    const known = running.get(car);
    if (known !== undefined) return known;
    const fetching = fetchFile(car, connection).finally(() => running.delete(car));
    running.set(car, fetching);
    return fetching;
  }

  async function fetchFile(car: Cid, connection: Connection): Promise<void> {
    const archive = await withRetries(session, connection, () => getObject(session, connection, 'file', car));
    await fileBlocks(archive.bytes);
    const rows = memory.rowsOfFiles([car]);
    await commits.files.fetched(archive, rows);
    memory.learned(rows);
  }

  async function learnWanted(): Promise<void> {
    const ids = changedIds;
    changedIds = new Set();
    try {
      for (const car of await commits.fileArchivesNamed(ids === 'all' ? undefined : [...ids]))
        wanted.add(car);
    } catch (cause) {
      changedIds = 'all';
      throw cause;
    }
  }

  async function job(): Promise<void> {
    const foundAll = requests.begin();
    await learnWanted();
    for (const car of wanted) if (commits.files.list().has(car)) wanted.delete(car);
    changed();
    const connection = session.connection();
    if (connection === undefined) return;
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
    failedRuns = failure === undefined ? 0 : failedRuns + 1;
    // A bad or late file isn't stored, but the others are; it is retried later.
    if (failure !== undefined) throw failure;
    foundAll();
  }

  const runner = createRunner(platform, RETRY, job, changed);
  const stopMissing = commits.files.onMissing(async (car) => {
    await fetchOnce(car, await connected());
  });
  if (all) runner.wake();
  return {
    documentsChanged: (ids) => {
      if (!all) return;
      if (ids === undefined) changedIds = 'all';
      else if (changedIds !== 'all') for (const id of ids) changedIds.add(id);
      runner.wake();
    },
    linkOpened: () => (all ? runner.wake('now') : undefined),
    waiting: () => wanted.size + (changedIds === 'all' || changedIds.size > 0 ? 1 : 0),
    failure: runner.failure,
    verdict: () => (failedRuns >= TRIES_PATIENCE ? runner.failure() : undefined),
    pending: () => {
      if (!all) return () => false;
      const isOpen = requests.add();
      runner.wake();
      return isOpen;
    },
    settled: runner.settled,
    stop: () => {
      stopMissing();
      runner.stop();
    },
  };
}
