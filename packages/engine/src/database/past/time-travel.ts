/** Earlier versions of a database: read them, compare them, and restore documents from them. */
import { isFixpointError } from '@fixpoint/protocol';
import { checkLimit } from '../../base/check-options.ts';
import type { Head } from '../../clock/event.ts';
import { parseHead } from '../../clock/head.ts';
import { rebuiltSnapshot } from '../../commit/rebuild.ts';
import { type Readers, readersOf, type Snapshot } from '../../commit/snapshot.ts';
import { snapshotOf } from '../../commit/snapshot-of.ts';
import type { Doc } from '../../documents/encode.ts';
import { GENESIS_KEY } from '../../documents/genesis.ts';
import type { MapFunction, QueryOptions } from '../../index/define.ts';
import { createIndexes } from '../../index/indexes.ts';
import type { Sandbox } from '../../ports/sandbox.ts';
import { diffTries } from '../../trie/diff.ts';
import type { ReadShard } from '../../trie/shard.ts';
import type { Core } from '../core.ts';
import type {
  AllDocs,
  AllDocsOptions,
  DocRow,
  QueryResult,
  Stored,
  TypedMap,
  Written,
} from '../database-results.ts';
import { allDocuments, currentDocuments, getDocument, readLive } from '../read.ts';
import { readPast, readPastOf } from './compacted.ts';

/** A read-only view of a database at one head. */
export interface DatabaseView {
  readonly head: Head;
  /**
   * Returns the document with this id at the view's head.
   * @throws FixpointError NOT_FOUND, also for a document that was deleted at that head;
   * DOC_ID_REQUIRED
   */
  get<T extends object = Doc>(id: string): Promise<Stored<T>>;
  /**
   * Returns documents sorted by id.
   * @throws FixpointError as `Database.allDocs`
   */
  allDocs<T extends object = Doc>(options?: AllDocsOptions): Promise<AllDocs<T>>;
  /** Works like `Database.query`. The index exists as long as the view. */
  query<T extends object = Doc>(
    map: string | MapFunction | TypedMap,
    options?: QueryOptions,
  ): Promise<QueryResult<T>>;
}

/**
 * A document that differs between two heads. `before` or `after` is absent if the document did not
 * exist at that head, or was deleted.
 */
export interface DocumentChange<T extends object = Doc> {
  readonly id: string;
  readonly before?: Stored<T>;
  readonly after?: Stored<T>;
}

/** Reads earlier versions by head: the `clock` of an earlier result, or the events of a history. */
export interface TimeTravel {
  /**
   * Returns a view of the database at a head that this or another replica once had. @throws
   * FixpointError HEAD_INVALID when `head` contains anything but CIDs of events. Calls of the view
   * reject with MISSING_BLOCK when this database doesn't have the head, and with HISTORY_COMPACTED
   * when compaction dropped, or may have dropped, part of that version.
   */
  at(head: readonly string[]): DatabaseView;
  /**
   * Returns the documents that differ between two heads, sorted by id. The cost grows with the
   * number of differences.
   * @throws FixpointError HEAD_INVALID, MISSING_BLOCK, HISTORY_COMPACTED
   */
  diff<T extends object = Doc>(
    before: readonly string[],
    after: readonly string[],
  ): Promise<readonly DocumentChange<T>[]>;
  /**
   * Restores a document to its content at a head. If the document did not exist at that head,
   * deletes it.
   * @throws FixpointError HEAD_INVALID, MISSING_BLOCK, HISTORY_COMPACTED
   */
  restore(id: string, head: readonly string[]): Promise<Written>;
}

interface PastState {
  readonly readers: Readers;
  readonly snapshot: Snapshot;
}

/** The calls that restore a document. */
interface Verbs {
  put(doc: Readonly<Record<string, unknown>>): Promise<Written>;
  del(id: string): Promise<Written>;
}

export function createTimeTravel(
  open: () => Promise<Core>,
  { put, del }: Verbs,
  sandbox: Sandbox | undefined,
): TimeTravel {
  const stateAt = async (head: Head): Promise<PastState> => pastState(await open(), head);
  const at = (head: readonly string[]): DatabaseView => createView(open, parseHead(head), sandbox);
  return {
    at,
    diff: async <T extends object>(before: readonly string[], after: readonly string[]) => {
      const { commits } = await open();
      const [old, now] = [await stateAt(parseHead(before)), await stateAt(parseHead(after))];
      return (await readPast(commits, () => differences(old, now))) as DocumentChange<T>[];
    },
    restore: async (id, head) => {
      try {
        return await put(await at(head).get(id));
      } catch (cause) {
        if (isFixpointError(cause, 'NOT_FOUND')) return del(id);
        throw cause;
      }
    },
  };
}

async function pastState({ commits }: Core, head: Head): Promise<PastState> {
  const snapshot = await readPastOf(commits, head, () => snapshotOf(head, commits.readers, rebuiltSnapshot));
  return { snapshot, readers: readersOf(snapshot, commits.readers) };
}

function createView(open: () => Promise<Core>, head: Head, sandbox: Sandbox | undefined): DatabaseView {
  let state: Promise<PastState> | undefined;
  let indexes: ReturnType<typeof createIndexes> | undefined;
  const read = async (): Promise<PastState & { core: Core }> => {
    const core = await open();
    state ??= pastState(core, head);
    return { core, ...(await state) };
  };
  return {
    head,
    get: async <T extends object>(id: string) => {
      const { core, readers, snapshot } = await read();
      return (await readPast(core.commits, () => getDocument(readers, snapshot, id))) as Stored<T>;
    },
    allDocs: async <T extends object>(options: AllDocsOptions = {}) => {
      const { core, readers, snapshot } = await read();
      const rows = await readPast(core.commits, () => allDocuments(readers, snapshot, options));
      return { rows: rows as DocRow<T>[], clock: head, name: core.name };
    },
    query: async <T extends object>(map: string | MapFunction | TypedMap, options: QueryOptions = {}) => {
      checkLimit(options);
      const { core, readers, snapshot } = await read();
      const { time, report } = core.platform;
      indexes ??= createIndexes({
        source: { readers, snapshot: () => snapshot },
        followed: undefined,
        local: undefined,
        time,
        report,
      });
      const { query } = indexes;
      return readPast(core.commits, async () => {
        const { rows } = await query(map, options, sandbox);
        if (options.includeDocs === false) return { rows };
        const docs = await currentDocuments(
          readers,
          snapshot,
          rows.map(({ id }) => id),
        );
        return { rows: rows.map((row, index) => ({ ...row, doc: docs[index] })), docs } as QueryResult<T>;
      });
    },
  };
}

async function differences(before: PastState, after: PastState): Promise<DocumentChange[]> {
  // A head may be a merge whose shards are only in the memory of that side of the comparison.
  const read: ReadShard = (cid) =>
    after.readers.shard(cid).catch((cause) => {
      if (isFixpointError(cause, 'MISSING_BLOCK')) return before.readers.shard(cid);
      throw cause;
    });
  const found: DocumentChange[] = [];
  for await (const { key, before: old, after: now } of diffTries(
    read,
    before.snapshot.root,
    after.snapshot.root,
  )) {
    if (key === GENESIS_KEY) continue;
    const was = old && (await readLive(before.readers, old));
    const is = now && (await readLive(after.readers, now));
    // Deleting a document that didn't exist is not a visible change.
    if (was === undefined && is === undefined) continue;
    found.push({ id: key, ...(was && { before: was }), ...(is && { after: is }) });
  }
  return found;
}
