/**
 * Stores databases in one SQLite file, through a synchronous driver that the application opened.
 *
 * `fixpoint_stores` has a row for each database. SQLite never uses an id again, so a handle notices
 * that its database was destroyed, even if another process created it again. `fixpoint_rows` has
 * the values, in parts, because SQLite reads a value as a whole.
 */
import { FixpointError } from '@fixpoint/protocol';
import { concatBytes, equalBytes } from '../../base/bytes.ts';
import type { ByteStore, Durability, Guard, StoreChange } from '../../ports/byte-store.ts';
import type { StoreOpener } from '../../ports/store-choice.ts';
import type { Time } from '../../ports/time.ts';
import { type Reserves, withReserve } from '../reserve.ts';
import { guarded, type SqliteDriver, type SqliteStatement, undo, undoLeftOpen } from './sqlite-driver.ts';
import { CHECKPOINT_PAGES, sqliteReserves } from './sqlite-reserve.ts';

const PART_BYTES = 131_072;
/** How often a process looks for changes of other processes. */
const POLL_MS = 100;
/** How long a call waits for a write of another process. Writes take milliseconds. */
const BUSY_MS = 5000;
/** Free pages of 4 kB that stay in the file. Together they are as large as the reserves. */
const FREE_PAGES_MAX = 900;
/** No key is this large, because keys are ASCII. */
const LAST = '\u{10ffff}';

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS fixpoint_stores (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS fixpoint_rows (
    store INTEGER NOT NULL, key TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB,
    UNIQUE (store, key, part)
  );`;

const SQL = {
  version: 'PRAGMA data_version',
  freePages: 'PRAGMA freelist_count',
  find: 'SELECT id FROM fixpoint_stores WHERE name = ?',
  exists: 'SELECT id FROM fixpoint_stores WHERE id = ?',
  create: 'INSERT OR IGNORE INTO fixpoint_stores (name) VALUES (?)',
  forget: 'DELETE FROM fixpoint_stores WHERE id = ?',
  empty: 'DELETE FROM fixpoint_rows WHERE store = ?',
  parts: 'SELECT bytes FROM fixpoint_rows WHERE store = ? AND key = ? AND part BETWEEN ? AND ? ORDER BY part',
  all: 'SELECT key, bytes FROM fixpoint_rows WHERE store = ? AND key >= ? AND key < ? ORDER BY key, part',
  keys: 'SELECT key FROM fixpoint_rows WHERE store = ? AND key >= ? AND key < ? AND part = 0 ORDER BY key',
  remove: 'DELETE FROM fixpoint_rows WHERE store = ? AND key = ?',
  add: 'INSERT INTO fixpoint_rows (store, key, part, bytes) VALUES (?, ?, ?, ?)',
};

interface Row {
  readonly id: number;
  readonly key: string;
  /** libsql returns an ArrayBuffer. `node:sqlite` stores no bytes as NULL. */
  readonly bytes: Uint8Array | ArrayBuffer | null;
  readonly data_version: number;
  readonly freelist_count: number;
}

interface Connection {
  readonly driver: SqliteDriver;
  /** Space for all databases of the file. */
  readonly reserves: Reserves;
  readonly rows: (sql: keyof typeof SQL, ...values: (string | number)[]) => Row[];
  readonly run: (sql: keyof typeof SQL, ...values: (string | number | Uint8Array)[]) => void;
}

/** @param time has timers that don't keep an otherwise idle process alive */
export function sqliteStores(driver: SqliteDriver, time: Time): StoreOpener {
  let connection: Connection | undefined;
  const connected = () => {
    connection ??= connect(driver);
    return connection;
  };
  return {
    openStore: async (name, durability) =>
      guarded(() => {
        const store = openStore(connected(), name, durability, time);
        return withReserve(store, connected().reserves);
      }),
    destroyStore: async (name) =>
      guarded(() => {
        const known = connected();
        for (const { id } of known.rows('find', name)) removeStore(known, id);
      }),
  };
}

function connect(driver: SqliteDriver): Connection {
  driver.exec(`PRAGMA busy_timeout = ${BUSY_MS}`);
  // Without effect on a file that has tables already, so it must be first.
  driver.exec('PRAGMA auto_vacuum = INCREMENTAL');
  // In a file that can't have a WAL, SQLite keeps another mode, in which EXTRA is durable, too.
  driver.prepare('PRAGMA journal_mode = WAL').all();
  // On macOS, nothing else writes to the disk itself.
  driver.exec('PRAGMA fullfsync = 1; PRAGMA checkpoint_fullfsync = 1');
  driver.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
  inTransaction(driver, 'strict', () => driver.exec(SCHEMA));
  const prepared = new Map<string, SqliteStatement>();
  const statement = (name: keyof typeof SQL) => {
    const known = prepared.get(name) ?? driver.prepare(SQL[name]);
    prepared.set(name, known);
    return known;
  };
  return {
    driver,
    reserves: sqliteReserves(driver),
    rows: (sql, ...values) => statement(sql).all(...values) as Row[],
    run: (sql, ...values) => void statement(sql).run(...values),
  };
}

/** Runs the work in one transaction, which the work cancels by returning false. */
function inTransaction<T>(driver: SqliteDriver, durability: Durability, work: () => T): T {
  undoLeftOpen(driver);
  driver.exec(`PRAGMA synchronous = ${durability === 'strict' ? 'EXTRA' : 'NORMAL'}`);
  // A transaction that starts with a read may fail later because another process wrote.
  driver.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    driver.exec(result === false ? 'ROLLBACK' : 'COMMIT');
    return result;
  } catch (cause) {
    try {
      undo(driver);
    } catch {
      // The next call tries again.
    }
    throw cause;
  }
}

function createStore(connection: Connection, name: string): number {
  const known = connection.rows('find', name)[0];
  if (known !== undefined) return known.id;
  return inTransaction(connection.driver, 'strict', () => {
    connection.run('create', name);
    return (connection.rows('find', name)[0] as Row).id;
  });
}

const removeStore = ({ driver, run }: Connection, id: number): void =>
  inTransaction(driver, 'strict', () => {
    run('empty', id);
    run('forget', id);
  });

function openStore(connection: Connection, name: string, durability: Durability, time: Time): ByteStore {
  const { rows } = connection;
  const id = createStore(connection, name);
  const onClosed = new Set<(reason: FixpointError) => void>();
  const watches = new Set<() => void>();
  let closedBy: FixpointError | undefined;
  const end = (reason: FixpointError) => {
    closedBy ??= reason;
    for (const stop of watches) stop();
    watches.clear();
  };
  const requireOpen = () => {
    if (closedBy === undefined && rows('exists', id).length === 0) {
      end(new FixpointError('DATABASE_CLOSED', 'it was destroyed by another process'));
      for (const tell of [...onClosed]) tell(closedBy as unknown as FixpointError);
    }
    if (closedBy !== undefined) throw closedBy;
  };
  const call = async <T>(work: () => T): Promise<T> =>
    guarded(() => {
      undoLeftOpen(connection.driver);
      requireOpen();
      return work();
    });
  return {
    read: (key) => call(() => readValue(connection, id, key)),
    readPart: (key, offset, length) => call(() => readPart(connection, id, key, offset, length)),
    readPrefix: (prefix) => call(() => readPrefix(connection, id, prefix)),
    keys: (prefix) => call(() => rows('keys', id, prefix, prefix + LAST).map(({ key }) => key)),
    write: async (changes, guard) =>
      guarded(() =>
        inTransaction(connection.driver, durability, () => {
          requireOpen();
          return change(connection, id, changes, guard);
        }),
      ),
    shrink: async () => {
      while (shrinkOnce(connection)) await new Promise<void>((resolve) => void time.after(0, resolve));
    },
    watch: (fn) =>
      watchChanges(connection, time, watches, () => call(() => undefined).then(fn, () => undefined)),
    onClosed: (fn) => {
      onClosed.add(fn);
      return () => void onClosed.delete(fn);
    },
    close: async () => end(new FixpointError('DATABASE_CLOSED')),
    destroy: async () => {
      end(new FixpointError('DATABASE_CLOSED'));
      guarded(() => removeStore(connection, id));
    },
  };
}

/**
 * Returns pages that no value uses to the disk, if they are many. Returns whether there may be
 * more of them.
 */
function shrinkOnce({ driver, rows }: Connection): boolean {
  const freePages = () => rows('freePages')[0]?.freelist_count ?? 0;
  try {
    undoLeftOpen(driver);
    const before = freePages();
    if (before < FREE_PAGES_MAX) return false;
    driver.exec(`PRAGMA incremental_vacuum(${CHECKPOINT_PAGES})`);
    // The file becomes shorter when the WAL is moved into it.
    driver.prepare('PRAGMA wal_checkpoint(PASSIVE)').all();
    return freePages() < before;
  } catch {
    // The file stays as it is, and the next compaction tries again.
    return false;
  }
}

function watchChanges(
  { rows }: Connection,
  time: Time,
  watches: Set<() => void>,
  changed: () => void,
): () => void {
  const version = () => rows('version')[0]?.data_version;
  let seen = version();
  let cancel: () => void = () => undefined;
  const stop = () => {
    watches.delete(stop);
    cancel();
  };
  const look = () => {
    cancel = time.after(POLL_MS, look);
    try {
      const now = version();
      if (now === seen) return;
      seen = now;
    } catch {
      // The application closed the driver, or the next call reports what failed.
      return;
    }
    changed();
  };
  cancel = time.after(POLL_MS, look);
  watches.add(stop);
  return stop;
}

/** Copies the bytes, because drivers may return parts of shared buffers. */
const joined = (parts: readonly Row[]): Uint8Array =>
  concatBytes(
    parts.map(({ bytes }) =>
      bytes instanceof Uint8Array ? bytes : new Uint8Array(bytes ?? new ArrayBuffer(0)),
    ),
  );

function readValue({ rows }: Connection, id: number, key: string): Uint8Array | undefined {
  const parts = rows('parts', id, key, 0, Number.MAX_SAFE_INTEGER);
  return parts.length === 0 ? undefined : joined(parts);
}

function readPart({ rows }: Connection, id: number, key: string, offset: number, length: number) {
  const first = Math.floor(offset / PART_BYTES);
  const parts = rows('parts', id, key, first, Math.floor((offset + length - 1) / PART_BYTES));
  const start = offset - first * PART_BYTES;
  return parts.length === 0 ? undefined : joined(parts).subarray(start, start + length);
}

function readPrefix({ rows }: Connection, id: number, prefix: string): Map<string, Uint8Array> {
  const found = new Map<string, Row[]>();
  for (const row of rows('all', id, prefix, prefix + LAST)) {
    const parts = found.get(row.key);
    if (parts === undefined) found.set(row.key, [row]);
    else parts.push(row);
  }
  return new Map([...found].map(([key, parts]) => [key, joined(parts)]));
}

/** Returns false if the condition of the guard isn't met. */
function change(
  connection: Connection,
  id: number,
  changes: readonly StoreChange[],
  guard: Guard | undefined,
): boolean {
  if (guard !== undefined) {
    const found = readValue(connection, id, guard.key);
    const isMet = found && guard.bytes ? equalBytes(found, guard.bytes) : found === guard.bytes;
    if (!isMet) return false;
  }
  for (const { key, bytes } of changes) {
    connection.run('remove', id, key);
    // An empty value has one empty part.
    for (let at = 0; bytes !== undefined && at < Math.max(bytes.length, 1); at += PART_BYTES)
      connection.run('add', id, key, at / PART_BYTES, bytes.subarray(at, at + PART_BYTES));
  }
  return true;
}
