/**
 * Fetches attached files: a file when it is read, or all files as soon as their documents arrive.
 */
import type { FixpointError } from '@fixpoint/protocol';
import { fileBlocks } from '../../archive/file-archive.ts';
import type { Cid } from '../../codec/cid.ts';
import type { BackOffPlan } from '../back-off.ts';
import { createRequests, createRunner } from '../job-runner.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { getObject } from '../transport/object-transfer.ts';
import { withRetries } from '../transport/transfer-retries.ts';
import type { fetchWanted, WantedFiles } from './fetch-wanted-files.ts';

/** How often to retry files that weren't available. */
const RETRY: BackOffPlan = { firstMs: 500, mostMs: 8000, patientAfter: 50, patientMostMs: 300_000 };
/** Number of failed runs after which a file counts as a problem, not just as late. */
const TRIES_PATIENCE = 3;

export interface FileFetches {
  /** Reports changed documents; undefined means all documents. */
  documentsChanged(ids: readonly string[] | undefined): void;
  linkOpened(): void;
  /** Returns the number of archives to fetch, as far as this device knows. */
  waiting(): number;
  failure(): FixpointError | undefined;
  /** Returns why a file won't arrive soon; undefined while all files may still arrive. */
  verdict(): FixpointError | undefined;
  /**
   * Returns a function that reports whether a file that documents refer to now is still missing.
   */
  pending(): () => boolean;
  settled(): Promise<void>;
  stop(): void;
}

/** Loads the code that fetches files before they are read. */
export type LoadWanted = () => Promise<{ readonly fetchWanted: typeof fetchWanted }>;

/**
 * Creates the fetches of files.
 * @param connected waits for a connection that is opening
 * @param all whether to fetch files before they are read
 */
export function createFileFetches(
  session: Session,
  connected: () => Promise<Connection>,
  all: boolean,
  load: LoadWanted,
  changed: () => void,
): FileFetches {
  const running = new Map<Cid, Promise<void>>();
  const files: WantedFiles = { wanted: new Set(), changedIds: all ? 'all' : new Set(), failedRuns: 0 };
  /** Requests of callers to have all files on this device. */
  const requests = createRequests();

  function fetchOnce(car: Cid, connection: Connection): Promise<void> {
    const known = running.get(car);
    if (known !== undefined) return known;
    const fetching = fetchFile(session, connection, car).finally(() => running.delete(car));
    running.set(car, fetching);
    return fetching;
  }

  async function job(): Promise<void> {
    const foundAll = requests.begin();
    // Without a connection, the lazy code may fail to load, too. `linkOpened` runs the job again.
    if (session.connection() === undefined) return;
    if (await (await load()).fetchWanted(session, files, fetchOnce, changed)) foundAll();
  }

  const runner = createRunner(session.platform, RETRY, job, changed);
  const stopMissing = session.commits.files.onMissing(async (car) => {
    await fetchOnce(car, await connected());
  });
  return {
    documentsChanged: (ids) => {
      if (!all) return;
      if (ids === undefined) files.changedIds = 'all';
      else if (files.changedIds !== 'all') for (const id of ids) files.changedIds.add(id);
      runner.wake();
    },
    linkOpened: () => (all ? runner.wake('now') : undefined),
    waiting: () => files.wanted.size + (files.changedIds === 'all' || files.changedIds.size > 0 ? 1 : 0),
    failure: runner.failure,
    verdict: () => (files.failedRuns >= TRIES_PATIENCE ? runner.failure() : undefined),
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

async function fetchFile(session: Session, connection: Connection, car: Cid): Promise<void> {
  const { commits, memory } = session;
  const archive = await withRetries(session, connection, () => getObject(session, connection, 'file', car));
  await fileBlocks(archive.bytes);
  const rows = memory.rowsOfFiles([car]);
  await commits.files.fetched(archive, rows);
  memory.learned(rows);
}
