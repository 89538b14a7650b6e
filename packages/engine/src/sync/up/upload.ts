/**
 * Sends what this database has and the remote lacks: archives first, then the meta that names them.
 */
import { type FixpointError, isFixpointError, LIMITS } from '@fixpoint/protocol';
import { type Archive, packArchive, readArchiveHeader } from '../../archive/pack.ts';
import type { Head } from '../../clock/event.ts';
import type { Cid } from '../../codec/cid.ts';
import type { BackOffPlan } from '../back-off.ts';
import { missingObjects } from '../failures.ts';
import { createRunner } from '../job-runner.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { inParallel, putArchive, putMeta } from '../transport/object-transfer.ts';
import { withRetries } from '../transport/transfer-retries.ts';
import { createMerging, type LoadMergeGroups, type Merging } from './merge-scheduler.ts';
import { createUploadPacker, type Parts, withoutHeaders } from './pack-upload.ts';
import { sendFiles, unsentFiles } from './upload-files.ts';

const RETRY: BackOffPlan = { firstMs: 500, mostMs: 3000, patientAfter: 150, patientMostMs: 60_000 };

export interface Uploads {
  /** Reports a commit. @param elsewhere by another tab, which may have sent it too */
  committed(elsewhere: boolean): void;
  wake(now?: 'now'): void;
  /** Returns the number of pending archives. */
  waiting(): number;
  /** Whether there is something to send, or to compare with the remote's listing. */
  hasWork(): boolean;
  /** Whether a caller waits for the upload. */
  isAwaited(): boolean;
  failure(): FixpointError | undefined;
  /**
   * Starts sending. Returns a function that reports whether something durable at the call isn't at
   * the remote yet.
   */
  pending(): () => boolean;
  /** Resolves when nothing is being sent; merging of groups may continue. */
  settled(): Promise<void>;
  /** Stops sending. Resolves when nothing runs, which requires the link to end. */
  stop(): Promise<void>;
}

/** What to send. */
interface Work {
  readonly head: Head;
  readonly unsent: readonly Cid[];
  readonly files: readonly Cid[];
}

export interface UploadParts {
  readonly load: LoadMergeGroups;
  /** Whether the remote's news was merged: what is sent builds on it. */
  readonly mayBegin: () => boolean;
  /** Whether everything the remote lists was processed. */
  readonly mayCompare: () => boolean;
  /** Resolves when everything the remote lists now was merged. */
  readonly catchUp: () => Promise<void>;
  /** Whether the remote lists no entry with the head, though everything was sent. */
  readonly isLost: (head: Head) => Promise<boolean>;
  readonly changed: () => void;
}

export function createUploads(
  session: Session,
  { load, mayBegin, mayCompare, catchUp, isLost, changed }: UploadParts,
): Uploads {
  const { commits, memory, listed } = session;
  const findUnsent = unsentFinder(session);
  const merging = createMerging(session, load, () => sending);
  /** The current upload. */
  let sending: Promise<void> = Promise.resolve();
  let waiting = 0;
  let archivesWaiting = 0;
  let mustReload = false;
  /** Checks that callers requested, and the last one that found everything at the remote. */
  let [asked, sentAll] = [0, 0];
  /** The remote lost what was sent, as after a restore from a backup. */
  let mustTell = false;

  async function job(): Promise<void> {
    for (;;) {
      const answered = asked;
      if (mustReload) {
        mustReload = false;
        await memory.load(() => commits.remembered(memory.prefix));
      }
      // The head first: later commits only add archives that it doesn't need.
      const { head } = commits.snapshot();
      const unsent = await findUnsent();
      // After the head, so that they include the files of all its documents.
      const files = unsentFiles(session);
      archivesWaiting = unsent.length + memory.groupsIn('part').length;
      mustTell &&= !listed.covers(head);
      waiting = archivesWaiting + files.length || Number(mustTell);
      changed();
      const connection = session.connection();
      if (connection === undefined || !mayBegin()) return;
      try {
        if (await mustCompare(head)) continue;
        if (waiting === 0 && listed.doubt() === undefined) sentAll = answered;
        if (waiting === 0 && !session.sealing().hasToTell()) return;
        const sent = sendAll(connection, { head, unsent, files });
        sending = sent.then(
          () => undefined,
          () => undefined,
        );
        if (await sent) sentAll = answered;
      } catch (cause) {
        // The link reports itself why it closed, and wakes this job when it is back.
        if (session.connection() !== connection) return;
        if (!(await session.heal(missingObjects(cause)))) throw cause;
      }
    }
  }

  /**
   * Compares each new listing with what was sent. Returns whether more has to be sent than it
   * seemed.
   */
  async function mustCompare(head: Head): Promise<boolean> {
    // Sending archives announces the head and everything the remote should have anyway. Files
    // announce nothing, and may wait for long.
    if (listed.doubt() === undefined || archivesWaiting > 0 || !mayCompare()) return false;
    if (!listed.covers(head)) await catchUp();
    const doubt = listed.doubt();
    mustTell = !listed.covers(head) && (await isLost(head));
    if (mustTell) {
      session.sealing().tellAgain();
      waiting ||= 1;
    }
    if (doubt !== undefined) listed.compared(doubt);
    changed();
    return mustTell;
  }

  /** Returns whether the remote has everything now. */
  async function sendAll(connection: Connection, { head, unsent, files }: Work): Promise<boolean> {
    await session.renewKey();
    const failure = await sendFiles(session, connection, files, (left) => {
      waiting = archivesWaiting + left;
      changed();
    });
    const isNews = archivesWaiting > 0 || mustTell || session.sealing().hasToTell();
    const isSent = !isNews || (await send(session, connection, merging, head, unsent));
    if (isNews && isSent) merging.sent(head);
    // A file that the remote rejects doesn't block any document.
    if (failure !== undefined) throw failure;
    return isSent;
  }

  const runner = createRunner(session.platform, RETRY, job, changed);
  return {
    committed: (elsewhere) => {
      waiting += 1;
      mustReload ||= elsewhere;
      changed();
      runner.wake();
    },
    wake: runner.wake,
    waiting: () => waiting,
    hasWork: () => waiting > 0 || listed.doubt() !== undefined,
    isAwaited: () => sentAll < asked,
    failure: runner.failure,
    pending: () => {
      asked += 1;
      const mine = asked;
      runner.wake();
      return () => sentAll < mine;
    },
    settled: runner.settled,
    stop: async () => {
      runner.stop();
      merging.stop();
      await runner.settled();
      await merging.settled();
    },
  };
}

/**
 * Returns a finder of archives that the remote may not hold. It holds an archive if it holds all
 * those that were merged into it.
 */
function unsentFinder({ commits, memory }: Session): () => Promise<Cid[]> {
  const mergedFrom = new Map<Cid, readonly Cid[]>();

  async function readMergedFrom(archive: Cid): Promise<readonly Cid[]> {
    const known = mergedFrom.get(archive);
    if (known !== undefined) return known;
    const [header] = await commits.blocksOf(archive);
    const replaced =
      header === undefined || withoutHeaders([header]).length > 0
        ? []
        : readArchiveHeader(await commits.plainArchive(archive)).compact.flat();
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
      await commits.markUploaded(merged, rows);
      memory.learned(rows);
    }
    for (const cid of mergedFrom.keys()) if (!there.has(cid)) mergedFrom.delete(cid);
    return unsent;
  };
}

/** Returns undefined when the archive was merged into another one. */
async function unlessGone<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (cause) {
    if (isFixpointError(cause, 'MISSING_CARS')) return undefined;
    throw cause;
  }
}

/**
 * Returns whether the remote has the head now.
 * @throws FixpointError; unsent archives stay pending
 */
async function send(
  session: Session,
  connection: Connection,
  merging: Merging,
  head: Head,
  unsent: readonly Cid[],
): Promise<boolean> {
  const { commits, memory, platform } = session;
  const packer = createUploadPacker();
  const carriers: Cid[] = [];
  for (const cid of unsent) {
    const blocks = await unlessGone(() => commits.blocksOf(cid));
    // The next run finds the archive that it was merged into, before any meta names a head that
    // needs it.
    if (blocks === undefined) return false;
    packer.add(cid, withoutHeaders(blocks));
    if (packer.ready() >= LIMITS.uploadsParallelMax)
      await sendParts(session, connection, packer.takeReady(), carriers);
  }
  const { archives, covered, blocks } = packer.finish();
  const parts = archives.map(({ cid }) => [cid]);
  for (const group of parts) memory.expect(group);
  // A sealed ledger names a part when it is sealed, and the last archive announces the name.
  await putAll(session, connection, archives);
  // Groups may be merged concurrently: the next header names the result.
  const [cars, compact] = [[...parts, ...memory.groups()], merging.replaced()];
  const last = await packArchive({ cars, compact, head }, [session.sealing().mark(cars), ...blocks]);
  memory.expect([last.cid]);
  await putAll(session, connection, [last]);
  await putMeta(session, connection, last.cid, head, cars.flat());
  session.sealing().told();
  merging.told(compact);
  const now = platform.time.now();
  const rows = [
    ...memory.rowsOfGroups([...parts, ...memory.groupsIn('part')], 'live', now),
    ...memory.rowsOfMerged([last.cid], now + 1),
    ...memory.rowsOfSent(covered, [...carriers, ...parts.flat(), last.cid]),
    ...memory.rowsOfSeen(head),
  ];
  await commits.markUploaded(covered, rows);
  memory.learned(rows);
  return true;
}

/**
 * Sends parts of a big upload, which resumes after them if interrupted.
 * @param carriers earlier parts; these are added
 */
async function sendParts(
  session: Session,
  connection: Connection,
  parts: Parts,
  carriers: Cid[],
): Promise<void> {
  const { commits, memory, platform } = session;
  const groups = parts.archives.map(({ cid }) => [cid]);
  await putAll(session, connection, parts.archives);
  for (const { cid } of parts.archives) carriers.push(cid);
  const rows = [
    ...memory.rowsOfGroups(groups, 'part', platform.time.now()),
    ...memory.rowsOfSent(parts.covered, carriers),
  ];
  await commits.markUploaded(parts.covered, rows);
  memory.learned(rows);
}

function putAll(session: Session, connection: Connection, archives: readonly Archive[]): Promise<void> {
  return inParallel(archives, LIMITS.uploadsParallelMax, (archive) =>
    withRetries(session, connection, () => putArchive(session, connection, archive)),
  );
}
