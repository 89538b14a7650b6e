/**
 * Sends data that this database has and the remote lacks: archives first, then the meta that names
 * them.
 */
import type { FixpointError } from '@fixpoint/protocol';
import type { Head } from '../../clock/event.ts';
import type { Cid } from '../../codec/cid.ts';
import type { BackOffPlan } from '../back-off.ts';
import { missingObjects } from '../failures.ts';
import { createRequests, createRunner } from '../job-runner.ts';
import type { Listed } from '../ledger/listed-entries.ts';
import type { Session } from '../sync-session.ts';
import type { Connection } from '../transport/connection.ts';
import { createMerging, type LoadMergeGroups, type Merging } from './merge-scheduler.ts';
import { sendArchives } from './send-archives.ts';
import { unsentFinder } from './unsent-archives.ts';
import { sendFiles, unsentFiles } from './upload-files.ts';

const RETRY: BackOffPlan = { firstMs: 500, mostMs: 3000, patientAfter: 150, patientMostMs: 60_000 };

export interface Uploads {
  /**
   * Reports a commit.
   * @param elsewhere whether another tab made the commit, and may already have sent it
   */
  committed(elsewhere: boolean): void;
  wake(now?: 'now'): void;
  /** Returns the number of pending archives. */
  waiting(): number;
  /** Returns whether data must be sent, or compared with the remote's listing. */
  hasWork(): boolean;
  /** Returns whether a caller waits for the upload. */
  isAwaited(): boolean;
  failure(): FixpointError | undefined;
  /**
   * Starts sending everything that is durable now. Returns a function that reports whether the
   * remote still lacks any of it.
   */
  pending(): () => boolean;
  /** Resolves when nothing is being sent. A merge of groups may continue. */
  settled(): Promise<void>;
  /**
   * Stops sending. Resolves when nothing runs any more, which may take until the link has ended.
   */
  stop(): Promise<void>;
}

/** The data to send. */
interface Work {
  readonly head: Head;
  readonly unsent: readonly Cid[];
  readonly files: readonly Cid[];
  /** Number of archives that the remote lacks or that no meta names yet. */
  readonly archives: number;
}

export interface UploadParts {
  readonly load: LoadMergeGroups;
  /**
   * Returns whether this device has merged what the remote lists. Data is sent only after that, so
   * that it builds on the remote's data.
   */
  readonly mayBegin: () => boolean;
  /** Returns whether everything the remote lists was processed. */
  readonly mayCompare: () => boolean;
  /** Resolves when everything that the remote lists now was merged. */
  readonly catchUp: () => Promise<void>;
  /**
   * Compares a complete listing that seems to lack the head. Returns whether the remote lost the
   * head.
   * @param doubt the doubt that the comparison ends
   */
  readonly isHeadLost: (head: Head, doubt: number | undefined) => Promise<boolean>;
  readonly changed: () => void;
}

export function createUploads(session: Session, parts: UploadParts): Uploads {
  const { commits, memory, listed } = session;
  const { mayBegin, changed } = parts;
  const findUnsent = unsentFinder(session);
  const merging = createMerging(session, parts.load, () => sending);
  /** The current upload. */
  let sending: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  let mustReload = false;
  /** Requests of callers to have everything at the remote. */
  const requests = createRequests();
  /** Set when the remote lost data that was sent, as after a restore from a backup. */
  let mustTell = false;

  async function findWork(): Promise<Work> {
    if (mustReload) {
      mustReload = false;
      await memory.load(() => commits.remembered(memory.prefix));
    }
    const work = await readWork(session, findUnsent);
    mustTell &&= !listed.covers(work.head);
    waiting = work.archives + work.files.length || Number(mustTell || !commits.isSettled());
    changed();
    return work;
  }

  async function job(): Promise<void> {
    for (;;) {
      const sentAll = requests.begin();
      const work = await findWork();
      const connection = session.connection();
      if (connection === undefined || !mayBegin()) return;
      try {
        // No comparison is needed while archives are pending, because sending them announces the
        // head and everything that the remote should have. Files don't announce anything, and may
        // be pending for long.
        if (listed.doubt() !== undefined && work.archives === 0 && parts.mayCompare()) {
          mustTell = await isLost(listed, parts, work.head);
          if (mustTell) waiting ||= 1;
          changed();
          if (mustTell) continue;
        }
        if (waiting === 0 && listed.doubt() === undefined) sentAll();
        if (waiting === 0 && !session.sealing().hasToTell()) return;
        const sent = sendWork(session, connection, merging, work, mustTell, (left) => {
          waiting = work.archives + left;
          changed();
        });
        sending = sent.catch(() => undefined);
        if (await sent) sentAll();
      } catch (cause) {
        // The link itself reports why it closed, and wakes this job when it is back.
        if (session.connection() !== connection) return;
        if (!(await session.heal(missingObjects(cause)))) throw cause;
      }
    }
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
    isAwaited: requests.isOpen,
    failure: runner.failure,
    pending: () => {
      const isOpen = requests.add();
      runner.wake();
      return isOpen;
    },
    settled: runner.settled,
    stop: () => stopAll([runner, merging]),
  };
}

async function stopAll(jobs: readonly Pick<Merging, 'stop' | 'settled'>[]): Promise<void> {
  for (const job of jobs) job.stop();
  for (const job of jobs) await job.settled();
}

async function readWork(session: Session, findUnsent: () => Promise<Cid[]>): Promise<Work> {
  // Offline, writes stay pending until a commit contains many of them.
  if (session.connection() !== undefined) await session.commits.settle();
  // Reads the head first: later commits only add archives that the head doesn't need.
  const { head } = session.commits.snapshot();
  const unsent = await findUnsent();
  // Reads the files after the head, so that the list includes the files of all documents at this
  // head.
  const files = unsentFiles(session);
  const archives = unsent.length + session.memory.groupsIn('part').length;
  return { head, unsent, files, archives };
}

/**
 * Compares a new listing with the data that was sent. Returns whether the remote lost some of that
 * data, which must then be sent again.
 */
async function isLost(
  listed: Listed,
  { catchUp, isHeadLost }: Pick<UploadParts, 'catchUp' | 'isHeadLost'>,
  head: Head,
): Promise<boolean> {
  // Usually another tab sent the head, and catching up shows it. The comparison loads lazy code,
  // which may fail offline.
  if (!listed.covers(head)) await catchUp();
  const doubt = listed.doubt();
  if (!listed.covers(head)) return isHeadLost(head, doubt);
  if (doubt !== undefined) listed.compared(doubt);
  return false;
}

/** Sends files, then archives. Returns whether the remote has everything now. */
async function sendWork(
  session: Session,
  connection: Connection,
  merging: Merging,
  { head, unsent, files, archives }: Work,
  mustTell: boolean,
  onFilesLeft: (left: number) => void,
): Promise<boolean> {
  await session.renewKey();
  const failure = await sendFiles(session, connection, files, onFilesLeft);
  const isNews = archives > 0 || mustTell || session.sealing().hasToTell();
  const isSent = !isNews || (await sendArchives(session, connection, merging, head, unsent));
  if (isNews && isSent) merging.sent(head);
  // Throws only now, so that a file that the remote rejects doesn't block documents.
  if (failure !== undefined) throw failure;
  return isSent;
}
