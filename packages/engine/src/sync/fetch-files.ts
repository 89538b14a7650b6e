/** Fetches attached files: one when somebody reads it, or all that documents refer to, as documents arrive. */
import type { FixpointError } from '@fixpoint/protocol';
import { fileBlocks } from '../archive/file-archive.ts';
import type { Cid } from '../codec/cid.ts';
import type { BackOffPlan } from './back-off.ts';
import { asFailure } from './failures.ts';
import { DOWNLOADS_PARALLEL_MAX, getObject, inParallel } from './objects.ts';
import { withRetries } from './retries.ts';
import { createRunner } from './runner.ts';
import type { Session } from './session.ts';
import type { Connection } from './transport/connection.ts';

/** When files that could not be had are asked for again. */
const RETRY: BackOffPlan = { firstMs: 500, mostMs: 8000, patientAfter: 50, patientMostMs: 300_000 };
/** A file that failed so often is not only late. */
const TRIES_PATIENCE = 3;

export interface FileFetches {
  /** Documents changed; undefined when all of them have to be looked at. */
  documentsChanged(ids: readonly string[] | undefined): void;
  linkOpened(): void;
  /** How many archives are to be fetched, as far as that is known. */
  waiting(): number;
  failure(): FixpointError | undefined;
  /** Why a file will not come soon; undefined while there is hope. */
  verdict(): FixpointError | undefined;
  /** Returns whether some file is still missing that documents refer to now. */
  pending(): () => boolean;
  settled(): Promise<void>;
  stop(): void;
}

/** @param connected waits for a connection that is being made. @param all whether to fetch files before somebody reads them */
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
  /** Looks that somebody waits for, and those that found all files. */
  let [asked, found] = [0, 0];

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
    const answered = asked;
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
    // A file that is bad or late is not stored; the others are, and it is asked for again after a while.
    if (failure !== undefined) throw failure;
    found = answered;
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
      asked += 1;
      const mine = asked;
      runner.wake();
      return () => found < mine;
    },
    settled: runner.settled,
    stop: () => {
      stopMissing();
      runner.stop();
    },
  };
}
