/**
 * Connects the parts of a membership log on a device: the follower, which decides from the log, the
 * entries that this device signs, and the keys of the ledger.
 */
import { type ErrorCode, FixpointError, isFixpointError } from '@fixpoint/protocol';
import { isEntryText } from '@fixpoint/protocol/storage';
import type { Said } from '../../crypto/announced-devices.ts';
import type { LedgerKeys } from '../../crypto/ledger-keys.ts';
import { type FollowerParts, LogFollower } from './log-follower.ts';
import { createRequests, type Requests } from './log-requests.ts';
import { type Followed, isWithdrawn } from './log-state.ts';
import { type OwnTexts, type OwnTextsParts, openOwnTexts } from './stored/own-texts.ts';

/** Maximum number of tries while other tabs sign entries of this device. */
const TRIES_MAX = 5;

export interface SessionParts extends Omit<FollowerParts, 'reread'> {
  readonly keys: LedgerKeys;
  readonly commits: OwnTextsParts;
}

/** Maximum number of new entries in a request (G4). */
const NEW_ENTRIES_MAX = 64;

export interface LogSession {
  /** Undefined until a list contains an entry, or this device knows a log. */
  follower(): LogFollower | undefined;
  followed(): Followed | undefined;
  /** Returns why this device seals nothing now; undefined if it may. */
  reasonToWait(): ErrorCode | undefined;
  /**
   * Learns the texts of a list. Must not run concurrently with itself or with `signed`. If it
   * fails, the list may contain a removal that this device doesn't know, so it seals nothing until
   * a later call succeeds.
   */
  learn(texts: readonly string[], said: Said): Promise<boolean>;
  /** See `LogFollower`. */
  reloadIfOther(): Promise<boolean>;
  /** The requests of devices and members in the lists. */
  readonly requests: Requests;
  /** Returns whether the ledger has a log that this device follows or that the list starts. */
  hasLog(): boolean;
  /** Returns texts that this device signed, and that the server may not have yet. */
  unsent(): readonly string[];
  /**
   * Signs entries, and makes them durable before they are put. Returns all unsent texts.
   * @param make returns the texts of one request, or none
   * @throws FixpointError CONFLICT if other tabs keep changing the log
   */
  signed(make: (now: Followed) => Promise<readonly string[]>): Promise<readonly string[]>;
}

/** Opens the log with everything that this device remembers. */
export async function openLogSession(parts: SessionParts): Promise<LogSession> {
  const { keys, prefix, rows, commits } = parts;
  const own = await openOwnTexts(commits, prefix);
  const isLaterThanStart = comparesLists(keys);
  const requests = createRequests(parts);
  let log: LogFollower | undefined;
  let failure: ErrorCode | undefined;
  const opened = (): LogFollower => (log ??= new LogFollower({ ...parts, reread: commits.remembered }));
  const mayHaveLog = (texts: readonly string[]) =>
    log !== undefined || keys.log() !== undefined || rows.has(`${prefix}log-wait`) || texts.some(isEntryText);

  /** Learns texts, whether the server has them or not. */
  async function take(texts: readonly string[], said: Said = {}): Promise<boolean> {
    const isNews = await keys.learn(texts, said);
    requests.note(texts);
    const { keyList: list } = said;
    const hasNewKeys = mayHaveLog(texts) && (await opened().learn(list ?? texts, list && 'whole'));
    await requests.check(log?.followed()?.view);
    // Follows the chain from the new key to earlier ones.
    if (hasNewKeys) await keys.learn([]);
    return isNews || hasNewKeys;
  }

  async function guarded<T>(work: () => Promise<T>, texts: readonly string[] = []): Promise<T> {
    try {
      const result = await work();
      failure = undefined;
      return result;
    } catch (cause) {
      if (mayHaveLog(texts)) failure = isFixpointError(cause) ? cause.code : 'STORE_FAILED';
      throw cause;
    }
  }

  /** Learns what other tabs stored and signed. */
  async function caughtUp(): Promise<Followed> {
    await own.reload();
    await opened().reload();
    await guarded(() => take(own.unsent()));
    const now = log?.followed();
    if (now === undefined) throw new FixpointError('LEDGER_NOT_COMPARED');
    return now;
  }

  async function reloadIfOther(): Promise<boolean> {
    if (log?.followed() !== undefined) return log.reloadIfOther();
    if (!(await isLogOfTab(parts))) return false;
    await keys.learn([]);
    await opened().reload();
    return true;
  }

  if (mayHaveLog([])) await take(own.unsent());
  return {
    follower: () => log,
    followed: () => log?.followed(),
    reasonToWait: () => failure ?? log?.waits() ?? (own.unsent().length > 0 ? 'KEY_INVALID' : undefined),
    learn: (texts, said) =>
      guarded(async () => {
        await reloadIfOther();
        const isNews = await take(texts, said);
        await own.sent(new Set([...texts, ...(said.keyList ?? [])]));
        if (isLaterThanStart(said.keyList)) await noteWithdrawal(parts, own, log, said.keyList);
        return isNews;
      }, texts),
    reloadIfOther,
    requests,
    hasLog: () => log?.followed() !== undefined || log?.isStarted() === true,
    unsent: own.unsent,
    signed: async (make) => {
      for (let tries = 1; tries <= TRIES_MAX; tries++) {
        const texts = accepted(await make(await caughtUp()));
        if (texts.length > 0 && !(await own.claim(texts))) continue;
        await guarded(() => take(texts));
        return own.unsent();
      }
      throw new FixpointError('CONFLICT', 'another tab changes the members');
    },
  };
}

/**
 * Returns a function that says whether a list is from after this device began to follow its log.
 * Earlier lists, which the device may learn again, lack the start although nobody withdrew it.
 */
function comparesLists({ log }: LedgerKeys) {
  let earlier: readonly string[] | undefined;
  return (list: readonly string[] | undefined): list is readonly string[] => {
    if (log() === undefined) earlier = list ?? earlier;
    return list !== undefined && list !== earlier;
  };
}

/** Follows no log any more if an admin withdrew its start. */
async function noteWithdrawal(
  { keys, report }: SessionParts,
  own: OwnTexts,
  log: LogFollower | undefined,
  list: readonly string[],
): Promise<void> {
  const now = log?.followed();
  if (log === undefined || now === undefined || own.unsent().length > 0 || !isWithdrawn(now, list)) return;
  await keys.withdrawLog();
  await log.learn(list, 'whole');
  report(new FixpointError('LEDGER_ROLLED_BACK', 'the membership log was withdrawn'));
}

/** Returns whether another tab follows a log, and the server may hide its start from this one. */
async function isLogOfTab({ keys, commits, prefix }: SessionParts): Promise<boolean> {
  const row = `${prefix}log`;
  return keys.log() === undefined && (await commits.remembered(row)).has(row);
}

/**
 * Returns texts, unless they have more entries than the gateway accepts: this device would repeat
 * them for ever.
 * @throws FixpointError LIMIT_REACHED
 */
function accepted(texts: readonly string[]): readonly string[] {
  if (texts.filter(isEntryText).length <= NEW_ENTRIES_MAX) return texts;
  throw new FixpointError('LIMIT_REACHED', 'entries of the log in one request');
}
