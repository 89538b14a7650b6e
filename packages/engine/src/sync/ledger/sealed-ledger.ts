/** Opens a sealed ledger: `docs/internals/sealed-ledgers.md`. */
import { isFixpointError } from '@fixpoint/protocol';
import { hex } from '../../base/bytes.ts';
import { mergeHeads } from '../../clock/advance.ts';
import { sortHead } from '../../clock/event.ts';
import { encode } from '../../codec/dag-cbor.ts';
import type { Commits } from '../../commit/commits-interface.ts';
import { type LedgerKeys, openLedgerKeys } from '../../crypto/ledger-keys.ts';
import type { StoreChange } from '../../ports/byte-store.ts';
import { createFetching } from '../down/archive-fetches.ts';
import { mergeWithDropped } from '../down/fetch-dropped.ts';
import { Acceptance, type AcceptanceParts } from '../log/acceptance.ts';
import { type LoggedKeys, loggedKeys } from '../log/logged-keys.ts';
import { sentBy } from '../log/own-events.ts';
import type { Session } from '../sync-session.ts';
import type { Listing, Target } from '../transport/connection.ts';
import type { Link } from '../transport/reconnecting-link.ts';
import { type CountedKeys, countedKeys } from './counted-keys.ts';
import { isRecordText, type LedgerKind, type LedgerSealing } from './ledger-sealing.ts';
import { type RemoteMemory, remember } from './remote-memory.ts';
import { type KeyList, keyListAt, renewKeys } from './renew-keys.ts';
import { sealedSealing } from './sealed-sealing.ts';
import { cutOf, signerIn } from './start-log.ts';

/** How often a device that isn't approved yet polls for its approval. */
const ASK_MS = 2000;
/** How often a device checks whether its greeting is due. */
const GREET_MS = 3_600_000;
/**
 * Maximum number of tries to put a record again. The server rejects a rotation until each device
 * that the rotation lists is announced again.
 */
const TRIES_MAX = 20;

export interface SealedLedgerParts extends Pick<Session, 'platform' | 'signal'> {
  /**
   * Whether this device follows the membership log of the ledger. Default true. False makes it
   * behave as a device of an earlier version, for tests.
   */
  readonly followsLogs?: boolean;
  readonly sync: () => {
    readonly link: Pick<Link, 'connection' | 'refresh'>;
    readonly session: Session;
  };
  /** The requested kind of ledger; undefined accepts any kind. */
  readonly wanted: LedgerKind | undefined;
  readonly commits: Commits;
  readonly memory: RemoteMemory;
  readonly target: Target;
}

export interface SealedLedger {
  readonly keys: CountedKeys;
  readonly sealing: LedgerSealing;
  /**
   * On the first device, creates the first key. On a later device, asks once for approval. Returns
   * whether this device created a key.
   * @param isSaid whether the remote says that the ledger is sealed
   */
  join(listing: Listing, isSaid: boolean): Promise<boolean>;
  /**
   * Rotates the key if any other device that has it isn't announced by a user with access, such as
   * the device of a member who left. Such devices don't get the new key. Relies on what the remote
   * has reported so far.
   * @throws any error of putting the record
   */
  renewKey(): Promise<void>;
}

/**
 * Opens the keys and sealing of a ledger.
 * @throws FixpointError CORRUPT when the rows of its keys are damaged
 */
export async function openSealedLedger(parts: SealedLedgerParts): Promise<SealedLedger> {
  const { commits, memory, target } = parts;
  const list = keyListAt({
    platform: parts.platform,
    target,
    connection: () => parts.sync().link.connection(),
  });
  const { random, report } = parts.platform;
  const ledger = encode([target.tenant, target.ledger]);
  const prefix = `${memory.prefix}secret/`;
  const place = {
    ...{ ledger, prefix, rows: await commits.remembered(prefix) },
    save: (rows: readonly StoreChange[]) => commits.markUploaded([], rows),
  };
  const reread = () => commits.remembered(prefix);
  const { followsLogs = true } = parts;
  const plain = await openLedgerKeys({ ...place, random, report, reread, followsLogs });
  const logged = followsLogs ? await loggedKeys({ ...place, ...logParts(parts), keys: plain }) : undefined;
  const acceptance = logged && new Acceptance({ ...place, ...acceptanceParts(parts, logged) });
  const keys = countedKeys(logged && acceptance ? withAcceptance(logged, acceptance, report) : plain);
  const sealing = sealedSealing({ ledger, keys, memory, random });
  /** Learns entries of the log that another tab knows: the server may hide them from this one. */
  const catchUp = async () => {
    if ((await logged?.isBehind()) === true) await keys.learn([]);
  };
  askForApproval(keys, parts);
  greetHourly(keys, parts, list.publish);
  return {
    keys,
    sealing: {
      ...sealing,
      learn: learnAndAnnounce(keys, list.publish, report),
      merge: async (merge) => {
        await catchUp();
        await (acceptance ?? { merge: commits.mergeRemote }).merge(merge);
        const { head } = merge;
        // Compaction may have dropped a head that wasn't accepted.
        const seen = await mergeHeads(memory.seen(), head, commits.readers.event).catch((cause) => {
          if (isFixpointError(cause, 'MISSING_BLOCK')) return head;
          throw cause;
        });
        await remember(parts, memory.rowsOfSeen(seen));
      },
    },
    join: joinOnce(keys, parts, list.publish),
    renewKey: async () => {
      await catchUp();
      if (keys.isApproved()) await renewKeys(keys, list);
      await acceptance?.revise();
    },
  };
}

/** Returns what a device needs to follow a membership log, and to write entries. */
const logParts = ({ platform, commits, memory, target }: SealedLedgerParts) => ({
  ...{ platform, commits, ...target.members },
  hasSent: sentBy(memory),
  signer: () => signerIn(commits, platform.random),
  cut: () => cutOf(commits),
});

/** Returns what a device needs to decide which events count. */
const acceptanceParts = (
  { commits, memory, platform, sync }: SealedLedgerParts,
  logged: LoggedKeys,
): Omit<AcceptanceParts, 'prefix' | 'rows' | 'save'> => ({
  ...{ commits, remote: memory.prefix, report: platform.report, now: platform.time.now },
  followed: logged.followed,
  start: () => {
    const log = logged.log();
    return log && hex(log);
  },
  signer: logged.signer,
  refresh: () =>
    void sync()
      .link.refresh()
      .catch(() => undefined),
  withDropped: async (missing, merge) => {
    const { session } = sync();
    const connection = session.connection();
    if (connection === undefined) throw missing;
    const fetching = createFetching(session, connection, () => undefined);
    await mergeWithDropped(session, fetching, [], missing, async () => {
      const remember = memory.rowsOfSent(fetching.extra([]));
      await merge({ head: sortHead([]), archives: fetching.taken(), remember });
      memory.learned(remember);
    });
  },
});

/** Returns keys that check the head again when the log changes, and that show what is withheld. */
function withAcceptance(
  keys: LoggedKeys,
  acceptance: Acceptance,
  report: (error: unknown) => void,
): LedgerKeys {
  return {
    ...keys,
    learn: async (texts, said) => {
      const isNews = await keys.learn(texts, said);
      await acceptance.revise().catch((cause) => {
        // The ledger may have what is missing. The next list causes another try.
        if (!isFixpointError(cause, 'MISSING_BLOCK')) throw cause;
        report(cause);
      });
      return isNews;
    },
    vouch: () => acceptance.vouch(),
    grant: async (code, admission) => {
      if (await acceptance.adopt(code)) return [];
      await acceptance.requireConfirmed();
      return keys.grant(code, admission);
    },
    isIn: (code) => acceptance.hasAdopted(code) || keys.isIn(code),
    acceptLog: async (id, unconfirmed = []) => {
      const isConfirmed = unconfirmed.length > 0 && keys.keyring().log?.id === id;
      await (isConfirmed ? acceptance.confirm(unconfirmed) : keys.acceptLog(id));
    },
    keyringMark: () => keys.keyringMark() + JSON.stringify([acceptance.withheld(), acceptance.unconfirmed()]),
    keyring: () => {
      const { log, ...keyring } = keys.keyring();
      const unconfirmed = acceptance.unconfirmed();
      const more = { withheld: acceptance.withheld(), ...(unconfirmed.length > 0 && { unconfirmed }) };
      return { ...keyring, ...(log && { log: { ...log, ...more } }) };
    },
  };
}

/** Polls for the approval of this device, until the database is detached. */
function askForApproval(
  keys: LedgerKeys,
  { platform, signal, sync }: Pick<SealedLedgerParts, 'platform' | 'signal' | 'sync'>,
): void {
  if (signal.aborted) return;
  const stop = platform.time.after(ASK_MS, () => {
    signal.removeEventListener('abort', stop);
    const { link } = sync();
    if (link.connection() !== undefined && !keys.isApproved()) void link.refresh().catch(() => undefined);
    askForApproval(keys, { platform, signal, sync });
  });
  signal.addEventListener('abort', stop);
}

/** Puts the greeting of this device when it is due, until the database is detached (N2). */
function greetHourly(
  keys: LedgerKeys,
  parts: Pick<SealedLedgerParts, 'platform' | 'signal' | 'sync'>,
  publish: KeyList['publish'],
): void {
  const { platform, signal, sync } = parts;
  if (signal.aborted) return;
  const stop = platform.time.after(GREET_MS, () => {
    signal.removeEventListener('abort', stop);
    if (sync().link.connection() !== undefined) greet(keys, publish).catch(platform.report);
    greetHourly(keys, parts, publish);
  });
  signal.addEventListener('abort', stop);
}

/** Puts the greeting of this device, if it is due. A server without greetings rejects it. */
async function greet(keys: LedgerKeys, publish: KeyList['publish']): Promise<void> {
  const greeting = await keys.greeting();
  if (greeting !== undefined) await answerTo(publish([greeting]));
}

function joinOnce(
  keys: LedgerKeys,
  { wanted, memory }: Pick<SealedLedgerParts, 'wanted' | 'memory'>,
  publish: KeyList['publish'],
): SealedLedger['join'] {
  let hasAsked = false;
  return async ({ keys: texts }, isSaid) => {
    if (hasAsked) return false;
    const isMadeSealed = (wanted ?? memory.wantedKind()) === 'sealed' || isSaid;
    const isNew = keys.log() === undefined && !texts.some(isRecordText);
    if (!keys.isApproved() && isNew && isMadeSealed) {
      const records = await keys.create();
      await publish(records);
      hasAsked = true;
      return keys.learn(records);
    }
    // A device that was announced by a member who has left must be announced again by its current
    // user. Otherwise, the next key would exclude this device.
    if (!keys.isAnnounced()) {
      if (isRejected(keys)) return false;
      const put = publish([keys.announcement()]);
      await (keys.isApproved() ? put.catch(ignoreRefusal) : put);
    }
    hasAsked = true;
    return false;
  };
}

/** Returns whether an admin rejected the request. Asking again without the user would undo that. */
const isRejected = (keys: LedgerKeys): boolean => keys.keyring().isRejected === true && !keys.isApproved();

/** Ignores a failed announcement: an approved device can continue without one. */
function ignoreRefusal(cause: unknown): void {
  if (!isFixpointError(cause)) throw cause;
}

/**
 * Puts records again that the server no longer lists, as after a restore of older tables. Puts the
 * announcement of this device first: without the announcement, nobody could approve the device, and
 * the next key would exclude it. Then puts the records of the current key. The server rejects all
 * of these records from a user without access.
 */
function learnAndAnnounce(
  keys: LedgerKeys,
  publish: KeyList['publish'],
  report: (error: unknown) => void,
): LedgerSealing['learn'] {
  let wasAnnounced = false;
  let compared: readonly string[] | undefined;
  /** Remaining tries of the records of each put that failed. */
  const triesLeft = new Map<string, number>();

  async function putLost(listed: readonly string[]): Promise<void> {
    compared = listed;
    for (const texts of keys.lost(new Set(listed))) {
      const name = texts.join();
      const left = triesLeft.get(name) ?? TRIES_MAX;
      if (left === 0) continue;
      const answer = await answerTo(publish(texts));
      if (answer !== 'taken') triesLeft.set(name, answer === 'rejected' ? 0 : left - 1);
    }
  }

  return async (texts, said) => {
    const isNews = await keys.learn(texts, said);
    const isLost = wasAnnounced && !keys.isAnnounced() && !isRejected(keys);
    const isAnswered = isLost && (await answerTo(publish([keys.announcement()]))) !== 'none';
    wasAnnounced = keys.isAnnounced() || (isLost && !isAnswered);
    const consent = await keys.consent();
    if (consent !== undefined) await answerTo(publish([consent]));
    await greet(keys, publish);
    // Servers that don't report who announced which device may send only the changes of the list,
    // which can't show that a record is lost.
    const { devices, keyList } = said;
    if (devices !== undefined && keyList !== undefined && keyList !== compared) {
      await putLost(keyList);
      // Helping others must not prevent this device from learning the list.
      await helpOthers(keys, publish, triesLeft).catch((cause) => {
        if (!isFixpointError(cause)) throw cause;
        report(cause);
      });
    }
    return isNews;
  };
}

/**
 * Puts what other members of a log need from this device: grants to seats that a rotation missed
 * (D4), and confirmations that somebody left (C4).
 * @param triesLeft the remaining tries by what is put
 */
async function helpOthers(
  keys: LedgerKeys,
  publish: KeyList['publish'],
  triesLeft: Map<string, number>,
): Promise<void> {
  const grants = await keys.missingGrants();
  const name = `grants of ${grants.length === 0 ? '' : keys.current().name}`;
  const left = triesLeft.get(name) ?? TRIES_MAX;
  if (grants.length > 0 && left > 0) {
    const answer = await answerTo(publish(grants));
    if (answer === 'taken') await keys.learn(grants);
    triesLeft.set(name, answer === 'rejected' ? 0 : left - 1);
  }
  const confirmed = await keys.confirmLeaves();
  if (confirmed.length > 0 && (await answerTo(publish(confirmed))) === 'taken') await keys.learn(confirmed);
}

/** Returns how the server answered a put. A put that got `none` may succeed later. */
const answerTo = (put: Promise<void>): Promise<'taken' | 'rejected' | 'none'> =>
  put.then(
    () => 'taken',
    (cause) => {
      if (!isFixpointError(cause)) throw cause;
      return cause.code === 'FORBIDDEN' ? 'rejected' : 'none';
    },
  );
