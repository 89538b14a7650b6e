/** Past states of a database: to look at, to compare, and to bring a document back from. */
import { isFixpointError } from '@fixpoint/protocol';
import { checkLimit } from '../base/check-options.ts';
import type { Head } from '../clock/event.ts';
import { parseHead } from '../clock/head.ts';
import { type Readers, readersOf, type Snapshot } from '../commit/snapshot.ts';
import { snapshotOf } from '../commit/snapshot-of.ts';
import type { Doc } from '../documents/encode.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import type { MapFunction, QueryOptions } from '../index/define.ts';
import { createIndexes } from '../index/indexes.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import { diffTries } from '../trie/diff.ts';
import type { ReadShard } from '../trie/shard.ts';
import { readPast, readPastOf } from './compacted.ts';
import type { Core } from './core.ts';
import type {
  AllDocs,
  AllDocsOptions,
  Database,
  DocRow,
  QueryResult,
  Stored,
  TypedMap,
  Written,
} from './database.ts';
import { allDocuments, currentDocuments, getDocument, readLive } from './read.ts';

/** A database as it was at one head; it can be read and does not change. */
export interface DatabaseView {
  readonly head: Head;
  /** @throws FixpointError NOT_FOUND, also for a document that was deleted then; DOC_ID_REQUIRED */
  get<T extends object = Doc>(id: string): Promise<Stored<T>>;
  /** Documents in the order of their ids. @throws FixpointError as {@link Database.allDocs} */
  allDocs<T extends object = Doc>(options?: AllDocsOptions): Promise<AllDocs<T>>;
  /** As {@link Database.query}; its index lives as long as the view. */
  query<T extends object = Doc>(
    map: string | MapFunction | TypedMap,
    options?: QueryOptions,
  ): Promise<QueryResult<T>>;
}

/** A document that differs between two heads. Absent: it did not exist, or was deleted. */
export interface DocumentChange<T extends object = Doc> {
  readonly id: string;
  readonly before?: Stored<T>;
  readonly after?: Stored<T>;
}

/** Past states, by the heads that a database once had: the `clock` of an answer, or the events of a history. */
export interface TimeTravel {
  /**
   * The database as it was at a head that it once had, or that another replica had.
   * @throws FixpointError HEAD_INVALID when these are no CIDs of events. What the view is asked rejects with MISSING_BLOCK when the head is not known here, with HISTORY_COMPACTED when compaction dropped something of it, or may have dropped it.
   */
  at(head: readonly string[]): DatabaseView;
  /** The documents that differ between two heads, by id; what it costs depends on what differs. @throws FixpointError HEAD_INVALID, MISSING_BLOCK, HISTORY_COMPACTED */
  diff<T extends object = Doc>(
    before: readonly string[],
    after: readonly string[],
  ): Promise<readonly DocumentChange<T>[]>;
  /** Writes a document as it was at a head; one that did not exist then is deleted. @throws FixpointError HEAD_INVALID, MISSING_BLOCK, HISTORY_COMPACTED */
  restore(id: string, head: readonly string[]): Promise<Written>;
}

interface PastState {
  readonly readers: Readers;
  readonly snapshot: Snapshot;
}

type Verbs = Pick<Database, 'put' | 'del'>;

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
  const snapshot = await readPastOf(commits, head, () => snapshotOf(head, commits.readers));
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
  // Each side knows the shards of its own merge.
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
    // A deletion of what did not exist changes nothing that anybody sees.
    if (was === undefined && is === undefined) continue;
    found.push({ id: key, ...(was && { before: was }), ...(is && { after: is }) });
  }
  return found;
}
