/** A store in OPFS. The database of its name in IndexedDB says that the rows are in OPFS. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { hex } from '../../base/bytes.ts';
import type { ByteStore, Durability } from '../../ports/byte-store.ts';
import type { Random } from '../../ports/random.ts';
import type { Time } from '../../ports/time.ts';
import { OPFS_KEY, openIndexedDbStore } from '../browser/indexeddb-store.ts';
import { storeFailure } from '../browser/transaction.ts';
import { hasOpfs, openStoreFiles } from './opfs-files.ts';
import type { Sha256 } from './opfs-format.ts';
import { type Leader, openLeader } from './opfs-leader.ts';
import { closeLog, emptyLog, type LogParts, openLog } from './opfs-log.ts';
import { isMoved, MOVED_BYTES_MAX, moveRows, placeOf, settleMove } from './opfs-migration.ts';
import { filesLock, untilFree } from './opfs-removal.ts';
import { openTabs, type TabMessage, type Tabs } from './opfs-tabs.ts';

export interface OpfsParts {
  readonly sha256: Sha256;
  readonly random: Random;
  readonly time: Time;
  /** Whether to move databases that are in IndexedDB. */
  readonly migrates?: boolean | undefined;
  /** Receives the reason when a database couldn't be moved, and stays in IndexedDB. */
  readonly report: (cause: unknown) => void;
}

interface Opening extends OpfsParts {
  readonly storageName: string;
  readonly durability: Durability;
  /** Whether to move the rows from IndexedDB. Each open tries this once. */
  moves: boolean;
}

/** An attempt to open the store. */
interface Attempt {
  readonly opening: Opening;
  readonly anchor: ByteStore;
  readonly hasRows: boolean;
  /** Returns the row that says that the other rows are in OPFS, if a tab has written it. */
  place(): Promise<Uint8Array | undefined>;
}

/**
 * Returns whether databases of this origin stay in IndexedDB because they may be too large.
 * Counting the bytes of one database would take as long as moving it.
 */
async function isLargeOrigin(): Promise<boolean> {
  const { usage = 0 } = (await (navigator as Partial<Navigator>).storage?.estimate?.()) ?? {};
  return usage > MOVED_BYTES_MAX;
}

/** How often a store is opened again because a tab moved its rows in the meantime. */
const OPENS_MAX = 5;

/**
 * Returns a function that opens a database in OPFS. It opens the database in IndexedDB if it is
 * there already and isn't moved, or if OPFS doesn't work here.
 */
export const opfsOpener =
  (parts: OpfsParts) =>
  /** @throws FixpointError STORE_UNREADABLE, STORE_LOST, STORE_LOCKED, CORRUPT */
  async (storageName: string, durability: Durability): Promise<ByteStore> => {
    const opening: Opening = { ...parts, storageName, durability, moves: parts.migrates === true };
    for (let attempt = 1; ; attempt++) {
      try {
        return await openOnce(opening);
      } catch (cause) {
        // The move closed the connection of this tab.
        const isMoved = hasOpfs() && isFixpointError(cause, 'STORE_UNREADABLE');
        if (!isMoved || attempt === OPENS_MAX) throw cause;
      }
    }
  };

async function openOnce(opening: Opening): Promise<ByteStore> {
  const { storageName, durability } = opening;
  const anchor = await openIndexedDbStore(storageName, durability, true);
  /** Opens the store in IndexedDB, which then notices if another tab chooses OPFS. */
  const plain = async () => {
    await anchor.close();
    return openIndexedDbStore(storageName, durability);
  };
  try {
    // One read, because another tab may choose OPFS at any moment.
    const [first] = await anchor.keys('');
    const hasRows = first !== OPFS_KEY && first !== undefined;
    if (hasRows && opening.moves && (await isLargeOrigin())) opening.moves = false;
    if (first !== OPFS_KEY && ((hasRows && !opening.moves) || !hasOpfs())) return await plain();
    if (!hasOpfs()) throw new FixpointError('STORE_UNREADABLE', 'no access to OPFS in this thread');
    const place = () => anchor.read(OPFS_KEY);
    return (await openBeside({ opening, anchor, hasRows, place })) ?? (await plain());
  } catch (cause) {
    await anchor.close();
    throw cause;
  }
}

/** Opens the files. Returns undefined if a new store can't be created in OPFS. */
async function openBeside(attempt: Attempt): Promise<ByteStore | undefined> {
  const { anchor, place } = attempt;
  let tabs: Tabs;
  try {
    tabs = await openBetweenTabs(attempt);
  } catch (cause) {
    const isFinal = (['CORRUPT', 'STORE_LOCKED', 'STORE_UNREADABLE'] as const).some((code) =>
      isFixpointError(cause, code),
    );
    if (isFinal || (await place()) !== undefined) throw cause;
    return undefined;
  }
  // No tab acknowledges a write before this row is durable.
  const row = { key: OPFS_KEY, bytes: placeOf() };
  try {
    const isNew = await anchor.write([row], { key: OPFS_KEY, bytes: undefined });
    if (!isNew && (await place()) === undefined) {
      // A tab without the option wrote to IndexedDB first.
      await tabs.close();
      return undefined;
    }
  } catch (cause) {
    await tabs.close();
    throw cause;
  }
  const stopListening = anchor.onClosed?.(() => void tabs.close());
  return {
    ...storeOver(tabs),
    ...(anchor.inTurn && { inTurn: anchor.inTurn }),
    ...(anchor.onClosed && { onClosed: anchor.onClosed }),
    close: async () => {
      stopListening?.();
      await tabs.close();
      await anchor.close();
    },
    destroy: async () => {
      await tabs.close();
      // Without the row, a folder that a crash leaves is emptied when the name is used again.
      await anchor.destroy();
    },
  };
}

const storeOver = (tabs: Tabs): Omit<ByteStore, 'close' | 'destroy'> => ({
  read: (key) => tabs.ask({ do: 'read', key }) as Promise<Uint8Array | undefined>,
  readPart: (key, from, length) =>
    tabs.ask({ do: 'read', key, from, length }) as Promise<Uint8Array | undefined>,
  readPrefix: (prefix) => tabs.ask({ do: 'readPrefix', prefix }) as Promise<Map<string, Uint8Array>>,
  keys: (prefix) => tabs.ask({ do: 'keys', prefix }) as Promise<string[]>,
  write: (changes, guard) =>
    tabs.write({ do: 'write', changes, guard: guard && { key: guard.key, bytes: guard.bytes } }),
  sync: () => tabs.ask({ do: 'sync' }) as Promise<void>,
  shrink: () => tabs.ask({ do: 'shrink' }) as Promise<void>,
});

/** Opens the store of all tabs. The first tab opens the files. */
async function openBetweenTabs(attempt: Attempt): Promise<Tabs> {
  const { storageName, random, time } = attempt.opening;
  const name = filesLock(storageName);
  const client = hex(random.bytes(16));
  const clientName = `${name}:${client}`;
  const ended = new AbortController();
  // While this tab has this lock, a new leader knows that it may repeat a write.
  await new Promise<void>((resolve, reject) => {
    const hold = () => {
      resolve();
      return new Promise<void>((end) => ended.signal.addEventListener('abort', () => end()));
    };
    navigator.locks.request(clientName, hold).catch(reject);
  });
  const channel = new BroadcastChannel(name);
  const tabs = await openTabs({
    client,
    channel: {
      post: (message) => channel.postMessage(message),
      listen: (fn) => {
        channel.onmessage = ({ data }: MessageEvent<TabMessage>) => fn(data);
      },
      close: () => channel.close(),
    },
    lock: (fn) => {
      const waiting = new AbortController();
      // The request is rejected when it is cancelled.
      navigator.locks.request(name, { signal: waiting.signal }, fn).catch(() => undefined);
      return () => waiting.abort();
    },
    openLeader: () => openFilesOf(attempt, `${name}:`),
    after: time.after,
  }).catch((cause) => {
    ended.abort();
    throw cause;
  });
  return {
    ...tabs,
    close: async () => {
      await tabs.close();
      ended.abort();
    },
  };
}

async function openFilesOf(attempt: Attempt, clientPrefix: string): Promise<Leader> {
  const { storageName, sha256, random, time, durability } = attempt.opening;
  const files = await untilFree(time, () => openStoreFiles(storageName));
  const parts = { files, sha256, randomBytes: random.bytes, isStrict: durability === 'strict' };
  try {
    return await leadWith(parts, attempt, clientPrefix);
  } catch (cause) {
    closeLog(parts);
    throw cause;
  }
}

async function leadWith(parts: LogParts, attempt: Attempt, clientPrefix: string): Promise<Leader> {
  const { opening, hasRows, place } = attempt;
  const { storageName, time } = opening;
  // Only the tab that has the files may decide this: another one may have moved the rows, or
  // written, since this tab began to open the store.
  const known = await place();
  // Files without the row were left by a crash, before or after their database existed.
  if (known === undefined) emptyLog(parts);
  if (known === undefined && hasRows) return moveInto(parts, opening);
  const liveClients = async () => {
    const { held = [] } = await navigator.locks.query();
    const clients = held.flatMap(({ name = '' }) =>
      name.startsWith(clientPrefix) ? [name.slice(clientPrefix.length)] : [],
    );
    return new Set(clients);
  };
  const turn = time.turn ?? (async () => undefined);
  const leader = await openLeader(parts, known !== undefined, liveClients, turn);
  if (known !== undefined) await settleMove(storageName, known, time);
  return leader;
}

/**
 * Moves the rows from IndexedDB to new files. Afterwards, the store must be opened again.
 * @throws FixpointError STORE_UNREADABLE if the rows were moved, STORE_LOCKED; STORE_FAILED if they
 * stay in IndexedDB
 */
async function moveInto(parts: LogParts, opening: Opening): Promise<never> {
  const { storageName, time, report } = opening;
  opening.moves = false;
  try {
    await moveRows(storageName, openLog(parts, false), time);
  } catch (cause) {
    // While the move waits for another tab, nobody can read whether the rows were moved.
    if (isFixpointError(cause, 'STORE_LOCKED')) throw cause;
    if (!(await isMoved(storageName))) {
      report(storeFailure(cause));
      // The copy takes space that the rows in IndexedDB may need.
      emptyLog(parts);
      throw new FixpointError('STORE_FAILED', 'the database stays in IndexedDB', { cause });
    }
  }
  throw new FixpointError('STORE_UNREADABLE', 'this tab has just moved the database');
}
