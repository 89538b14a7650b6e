/**
 * The log in front of commits (decision 0140). A small write is durable and acknowledged as soon as
 * its row is stored. A later commit contains the writes of many rows, and removes these rows in the
 * same step.
 *
 * Everything that reads the head settles the log first, so readers see every acknowledged write.
 * Everything that moves the head for another reason also settles the log first, because the pending
 * writes are older than that change.
 */
import type { Pace } from '../../base/pace.ts';
import type { Turns } from '../../base/turns.ts';
import type { Head } from '../../clock/event.ts';
import type { DocKey } from '../../documents/doc-key.ts';
import { TOMBSTONE } from '../../documents/encode.ts';
import type { Time } from '../../ports/time.ts';
import type { Operation, Write } from '../write-queue.ts';
import type { Appended, RowAppender } from './append-row.ts';
import type { PendingRow } from './pending-rows.ts';
import type { SettleOptions, WriteLog } from './write-log-interface.ts';

/** A commit begins when nobody has written for this long. */
const IDLE_MS = 10;
/** A commit also begins when the oldest pending write is this old. */
const AGE_MS = 100;
/**
 * A commit also begins when this much is pending. The limit of bytes is low, so that the reserve
 * for a full disk is large enough for the commit.
 */
const OPERATIONS_MAX = 1000;
const BYTES_MAX = 131_072;
/** Larger writes are committed directly: writing them twice would cost more than the commit. */
const SMALL_BYTES_MAX = 16_384;
const SMALL_OPERATIONS_MAX = 20;
/** While this much is pending, writes are direct: they wait for the commits. */
const PENDING_MAX = 5 * OPERATIONS_MAX;
/** Time after which a failed commit is tried again. */
const RETRY_MS = 1000;

export interface WriteLogParts {
  readonly appender: RowAppender;
  readonly time: Time;
  /** Lets other work run between rows. Otherwise, writes to a fast store would starve it. */
  readonly pace: Pace;
  /** Runs work that moves the head, one piece after another. */
  readonly exclusive: Turns;
  /**
   * Returns whether a commit also contains the pending writes of other writers. @param
   * lookForOthers whether to look for such writes even if there was no hint
   */
  commitsForAll(lookForOthers: boolean): boolean;
  /** Returns the head that the writer knows. */
  known(): Head;
  /**
   * Makes one durable commit of the writes and then the deletions, and removes the rows in the same
   * step. `isOwn` returns whether this writer stored a row or is storing it. Its rows that aren't
   * in `rows` belong to a later commit.
   */
  commit(
    rows: readonly PendingRow[],
    deletions: readonly Operation[],
    isOwn: (key: string) => boolean,
  ): Promise<Committed>;
  /** Returns whether another writer may wait for the head. Then all writes are direct. */
  isShared(): boolean;
  /** Called with acknowledged writes that no commit contains yet. */
  announce(operations: readonly Operation[], isFirst: boolean): void;
  /** Called with documents that another writer wrote later than the pending write of this one. */
  announceElsewhere(ids: readonly string[]): void;
  readonly report: (error: unknown) => void;
}

/** The result of a commit of pending writes. */
export interface Committed {
  /** Documents that another tab may have written later than the given rows. */
  readonly changedElsewhere: readonly string[];
}

interface Waiting {
  readonly operations: readonly Operation[];
  resolve(): void;
  reject(cause: unknown): void;
}

interface LogState extends WriteLogParts {
  /** Rows of pending writes, in the order of the writes. */
  readonly rows: PendingRow[];
  /** The newest pending write of each document. */
  readonly newest: Map<DocKey, Operation>;
  /** Operations and bytes since the last commit began. */
  operations: number;
  bytes: number;
  /** The number of all pending operations. */
  pending: number;
  /** When the oldest and the newest pending write were stored. */
  sinceMs: number;
  lastMs: number;
  /** The number of rows ever added, and how many of them are committed. */
  added: number;
  committed: number;
  /** Writes that wait for the row that is being stored. */
  waiting: Waiting[];
  appending: Promise<void> | undefined;
  settling: Promise<void> | undefined;
  stopTimer: (() => void) | undefined;
  isStopped: boolean;
}

export function createWriteLog(parts: WriteLogParts): WriteLog {
  const log: LogState = {
    ...parts,
    rows: [],
    newest: new Map(),
    ...{ operations: 0, bytes: 0, pending: 0, sinceMs: 0, lastMs: 0, added: 0, committed: 0 },
    waiting: [],
    appending: undefined,
    settling: undefined,
    stopTimer: undefined,
    isStopped: false,
  };
  return {
    takes: (operations): operations is readonly Operation[] =>
      log.pending < PENDING_MAX && !log.isShared() && isLoggable(operations),
    append: (operations) =>
      new Promise((resolve, reject) => {
        log.waiting.push({ operations, resolve, reject });
        log.appending ??= append(log);
      }),
    // Each further promise would let a later write overtake the one that waits here.
    appended: () => log.appending ?? Promise.resolve(),
    get: (key) => log.newest.get(key as DocKey)?.value,
    isEmpty: () => log.rows.length === 0,
    rows: () => [...log.rows],
    settle: () => settle(log),
    settleInTurn: (options) => settleInTurn(log, options),
    adopt: (rows) => {
      for (const row of rows) {
        add(log, row, 0);
        log.appender.continueAfter(row);
      }
    },
    stop: async () => {
      log.isStopped = true;
      log.stopTimer?.();
      await log.appending;
    },
  };
}

/** Returns whether the log may contain this write. */
function isLoggable(operations: Write): operations is readonly Operation[] {
  if (typeof operations === 'function' || operations.length > SMALL_OPERATIONS_MAX) return false;
  let bytes = 0;
  for (const { value, files } of operations) {
    // Compaction keeps or drops a past commit as a whole. A commit of many deletions would keep all
    // that they deleted.
    if (files !== undefined || value.cid === TOMBSTONE.cid) return false;
    bytes += value.bytes.length;
  }
  return bytes <= SMALL_BYTES_MAX;
}

/** Stores waiting writes. Writes that arrive while a row is stored share the next row. */
async function append(log: LogState): Promise<void> {
  try {
    while (log.waiting.length > 0) {
      if (log.pace.isDue()) await log.pace.rest();
      const group = takeGroup(log);
      await appendGroup(log, group);
      // Callers that write again as soon as their write is stored share the next row, too.
      if (group.length > 1) await log.pace.rest();
    }
  } finally {
    log.appending = undefined;
  }
}

function takeGroup(log: LogState): readonly Waiting[] {
  let [operations, bytes, count] = [0, 0, 0];
  for (const one of log.waiting) {
    operations += one.operations.length;
    for (const { value } of one.operations) bytes += value.bytes.length;
    if (count > 0 && (operations > OPERATIONS_MAX || bytes > BYTES_MAX)) break;
    count += 1;
  }
  return log.waiting.splice(0, count);
}

async function appendGroup(log: LogState, group: readonly Waiting[]): Promise<void> {
  const operations = group.flatMap((one) => one.operations);
  let appended: Appended;
  try {
    appended = await log.appender.append(operations, log.known());
  } catch (cause) {
    for (const { reject } of group) reject(cause);
    return;
  }
  add(log, appended.row, appended.size);
  for (const { resolve } of group) resolve();
  try {
    log.announce(operations, log.rows.length === 1);
  } catch (cause) {
    // Don't rethrow: these writes are durable, and later ones must still be stored.
    log.report(cause);
  }
  if (log.operations >= OPERATIONS_MAX || log.bytes >= BYTES_MAX) commitNow(log);
  else startTimer(log, IDLE_MS);
}

/** Commits in the background. After a failure, tries again later. */
function commitNow(log: LogState): void {
  settle(log).catch((cause) => {
    log.report(cause);
    startTimer(log, RETRY_MS);
  });
}

function add(log: LogState, row: PendingRow, bytes: number): void {
  log.lastMs = log.time.now();
  if (log.rows.length === 0) log.sinceMs = log.lastMs;
  log.rows.push(row);
  log.added += 1;
  log.operations += row.operations.length;
  log.bytes += bytes;
  log.pending += row.operations.length;
  for (const operation of row.operations) log.newest.set(operation.key, operation);
}

/** Starts one timer for many writes. The timer starts again while writes continue. */
function startTimer(log: LogState, ms: number): void {
  const { time } = log;
  if (log.stopTimer !== undefined || log.isStopped) return;
  const look = () => {
    log.stopTimer = undefined;
    if (log.rows.length === 0) return;
    const leftMs = Math.min(log.lastMs + IDLE_MS, log.sinceMs + AGE_MS) - time.now();
    // If the clock was set back, more than the whole time may be left.
    if (leftMs <= 0 || leftMs > IDLE_MS) commitNow(log);
    else log.stopTimer = time.after(leftMs, look);
  };
  log.stopTimer = time.after(ms, look);
}

async function settleInTurn(
  log: LogState,
  { lookForOthers = false, deletions = [] }: SettleOptions = {},
): Promise<void> {
  if (log.rows.length === 0 && deletions.length === 0 && !log.commitsForAll(lookForOthers)) return;
  const rows = [...log.rows];
  [log.operations, log.bytes, log.sinceMs] = [0, 0, log.time.now()];
  const isOwn = (key: string) => key === log.appender.latest?.() || log.rows.some((row) => row.key === key);
  const { changedElsewhere } = await log.commit(rows, deletions, isOwn);
  log.rows.splice(0, rows.length);
  log.committed += rows.length;
  for (const { operations } of rows) {
    log.pending -= operations.length;
    for (const operation of operations)
      if (log.newest.get(operation.key) === operation) log.newest.delete(operation.key);
  }
  if (changedElsewhere.length > 0) log.announceElsewhere(changedElsewhere);
}

async function settle(log: LogState): Promise<void> {
  const target = log.added;
  while (log.committed < target) {
    log.settling ??= log
      .exclusive(() => settleInTurn(log))
      .finally(() => {
        log.settling = undefined;
      });
    await log.settling;
  }
}
