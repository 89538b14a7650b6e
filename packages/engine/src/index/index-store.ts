/**
 * Stores indexes on this device, so that reopening a database doesn't rebuild them. An index has
 * these rows below its id: `record` (index-record.ts), and for each pack `nodes/<pack>` and
 * `places/<pack>` (pack.ts). A record lists all packs that it needs. The record is written after
 * its packs, and only if the previous record is unchanged. So an interrupted save, or a race with
 * another tab, leaves a complete index. At worst, it also leaves packs that no record lists, which
 * the next save removes.
 */
import { FixpointError } from '@fixpoint/protocol';
import { equalBytes, utf8 } from '../base/bytes.ts';
import { Lru } from '../base/lru.ts';
import type { Pace } from '../base/pace.ts';
import { cidOf, RAW } from '../codec/cid.ts';
import type { LocalRow, LocalRows } from '../commit/local-rows.ts';
import { decodeIndexRecord, encodeIndexRecord, type IndexRecord } from './index-record.ts';
import type { NodeTable, PackUse, SavedPack } from './node-table.ts';
import { decodeDirectory, encodeDirectory, PACK_BYTES_MAX, packNodes } from './pack.ts';
import type { IndexState } from './state.ts';

/**
 * Maximum number of stored indexes of a database. Beyond this number, the least recently used index
 * is removed.
 */
const STORED_INDEXES_MAX = 50;
const PACKS_KEPT_BYTES_MAX = 4_000_000;
const SMALL_PACKS_MAX = 8;

const PREFIX = 'index/';
const idOf = (definition: string): string => cidOf(RAW, utf8(definition));
const recordOf = (id: string) => `${PREFIX}${id}/record`;
const nodesOf = (id: string, pack: string) => `${PREFIX}${id}/nodes/${pack}`;
const placesOf = (id: string, pack: string) => `${PREFIX}${id}/places/${pack}`;

interface LoadedIndex {
  readonly state: IndexState;
  readonly usedAt: number;
}

/**
 * The record of an index, as this database object last read or wrote it; undefined if there is
 * none.
 */
export type StoredRecord = Uint8Array | undefined;

interface SaveParts {
  readonly definition: string;
  readonly state: IndexState;
  readonly table: NodeTable;
  readonly record: StoredRecord;
  readonly usedAt: number;
  /** Whether rows may exist that no record lists. If so, the save removes them. */
  readonly tidy: boolean;
  readonly pace: Pace;
}

export interface IndexStore {
  /**
   * Loads an index, and registers the places of its nodes in the table. `loaded` is undefined when
   * nothing usable is stored.
   * @throws FixpointError CORRUPT, KEY_UNKNOWN, STORE_FAILED
   */
  load(
    definition: string,
    table: NodeTable,
  ): Promise<{ readonly record: StoredRecord; readonly loaded: LoadedIndex | undefined }>;
  /** @throws FixpointError CORRUPT, KEY_UNKNOWN, STORE_FAILED */
  readPack(definition: string, pack: string): Promise<Uint8Array>;
  /**
   * Returns the new record, or undefined when another writer saved the index first.
   * @throws NodeLost; FixpointError STORE_FULL, STORE_FAILED
   */
  save(parts: SaveParts): Promise<StoredRecord>;
  /** Resolves with true if the stored record is still this one. */
  isCurrent(definition: string, record: StoredRecord): Promise<boolean>;
  discard(definition: string): Promise<void>;
  /** Returns the definitions of all readable stored indexes. */
  definitions(): Promise<readonly string[]>;
}

export function createIndexStore(rows: LocalRows): IndexStore {
  const packs = new Lru<string, Promise<Uint8Array>>(PACKS_KEPT_BYTES_MAX);
  return {
    load: (definition, table) => load(rows, definition, table),
    readPack: (definition, pack) => {
      const name = nodesOf(idOf(definition), pack);
      const known = packs.get(name);
      if (known !== undefined) return known;
      const reading = readRow(rows, name);
      packs.set(name, reading, PACK_BYTES_MAX);
      reading.catch(() => packs.delete(name));
      return reading;
    },
    save: (parts) => save(rows, parts),
    isCurrent: (definition, record) => isCurrent(rows, definition, record),
    discard: async (definition) => {
      await rows.write(await removals(rows, idOf(definition), new Set()));
    },
    definitions: async () => {
      const records = await Promise.all((await idsIn(rows)).map((id) => recordIn(rows, id)));
      return records.flatMap((record) => record?.definition ?? []);
    },
  };
}

async function readRow(rows: LocalRows, name: string): Promise<Uint8Array> {
  const bytes = await rows.read(name);
  if (bytes === undefined) throw new FixpointError('CORRUPT', 'a part of an index is gone');
  return bytes;
}

async function isCurrent(rows: LocalRows, definition: string, record: StoredRecord): Promise<boolean> {
  const stored = await rows.read(recordOf(idOf(definition)));
  return stored && record ? equalBytes(stored, record) : stored === record;
}

async function load(rows: LocalRows, definition: string, table: NodeTable): ReturnType<IndexStore['load']> {
  const id = idOf(definition);
  const row = await rows.read(recordOf(id));
  const record = row && decodeIndexRecord(row);
  if (record === undefined || record.definition !== definition) return { record: row, loaded: undefined };
  try {
    const directories = await readDirectories(rows, id, record.packs);
    for (const [name, use, places] of directories) table.learn(name, places, use);
  } catch (cause) {
    // Another tab may have saved the index and removed packs that the new record doesn't list. Then
    // load the new record.
    if (await isCurrent(rows, definition, row)) throw cause;
    return load(rows, definition, table);
  }
  const { head, root, byKey, byId, usedAt } = record;
  return { record: row, loaded: { state: { head, root, byKey, byId }, usedAt } };
}

/**
 * Reads the places of the nodes in each pack.
 * @throws FixpointError CORRUPT, KEY_UNKNOWN
 */
const readDirectories = (rows: LocalRows, id: string, packs: ReadonlyMap<string, PackUse>) =>
  Promise.all(
    [...packs].map(
      async ([name, use]) => [name, use, decodeDirectory(await readRow(rows, placesOf(id, name)))] as const,
    ),
  );

async function save(rows: LocalRows, parts: SaveParts): Promise<StoredRecord> {
  const { definition, state, table, record, usedAt, tidy } = parts;
  const id = idOf(definition);
  const replaced = packsToReplace(table.packs);
  const saved = await writePacks(rows, id, parts, replaced);
  const kept = new Map<string, PackUse>([...table.packs].filter(([name]) => !replaced.has(name)));
  for (const { name, size } of saved) kept.set(name, { bytes: size, liveBytes: size });
  const rowsOf = (names: Iterable<string>) =>
    [...names].flatMap((name) => [nodesOf(id, name), placesOf(id, name)]);
  const gone = tidy
    ? await removals(rows, id, new Set([recordOf(id), ...rowsOf(kept.keys())]))
    : rowsOf([...replaced].filter((name) => !kept.has(name))).map((name) => ({ name, bytes: undefined }));
  const bytes = encodeIndexRecord({ definition, ...state, packs: kept, usedAt });
  const name = recordOf(id);
  if (!(await rows.write([{ name, bytes }, ...gone], { name, bytes: record }))) return undefined;
  for (const pack of saved) table.saved(pack, replaced);
  table.dropped(new Set([...replaced].filter((pack) => !kept.has(pack))));
  if (record === undefined) await freeOldest(rows);
  return bytes;
}

async function writePacks(
  rows: LocalRows,
  id: string,
  { table, pace }: SaveParts,
  replaced: ReadonlySet<string>,
): Promise<readonly SavedPack[]> {
  const saved: SavedPack[] = [];
  const nodes = [...table.unsaved(), ...(await table.nodesIn(replaced))];
  for (const { name, bytes, places } of packNodes(nodes)) {
    await rows.write([
      { name: nodesOf(id, name), bytes },
      { name: placesOf(id, name), bytes: encodeDirectory(places) },
    ]);
    saved.push({ name, size: bytes.length, places });
    if (pace.isDue()) await pace.rest();
  }
  return saved;
}

/** Returns the changes that remove the rows of an index, except those in `keep`. */
async function removals(rows: LocalRows, id: string, keep: ReadonlySet<string>): Promise<LocalRow[]> {
  const names = await rows.names(`${PREFIX}${id}/`);
  return names.filter((name) => !keep.has(name)).map((name) => ({ name, bytes: undefined }));
}

/** Removes the least recently used indexes. */
async function freeOldest(rows: LocalRows): Promise<void> {
  const ids = await idsIn(rows);
  if (ids.length <= STORED_INDEXES_MAX) return;
  const used = await Promise.all(
    ids.map(async (id) => ({ id, usedAt: (await recordIn(rows, id))?.usedAt ?? 0 })),
  );
  used.sort((a, b) => a.usedAt - b.usedAt);
  for (const { id } of used.slice(0, used.length - STORED_INDEXES_MAX))
    await rows.write(await removals(rows, id, new Set()));
}

const idsIn = async (rows: LocalRows): Promise<readonly string[]> =>
  (await rows.names(PREFIX))
    .filter((name) => name.endsWith('/record'))
    .map((name) => name.slice(PREFIX.length, name.lastIndexOf('/')));

/** Returns undefined for an unreadable index. Such an index is useless, so it is removed first. */
async function recordIn(rows: LocalRows, id: string): Promise<IndexRecord | undefined> {
  try {
    const bytes = await rows.read(recordOf(id));
    return bytes && decodeIndexRecord(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Returns packs with mostly dead bytes, and all small packs when there are many. With this choice,
 * each node is rewritten only a few times.
 */
function packsToReplace(packs: ReadonlyMap<string, Readonly<PackUse>>): ReadonlySet<string> {
  const all = [...packs];
  const small = all.filter(([, { bytes }]) => bytes < PACK_BYTES_MAX / 2);
  const dead = all.filter(([, { bytes, liveBytes }]) => liveBytes < bytes / 2);
  return new Set([...dead, ...(small.length > SMALL_PACKS_MAX ? small : [])].map(([name]) => name));
}
