/** Writes that depend on what is stored: `update`, `transact`, and `bulk` beside conflicts. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import { keysSince } from '../clock/changes-since.ts';
import type { Cid } from '../codec/cid.ts';
import { isGone } from '../commit/reads.ts';
import type { Snapshot } from '../commit/snapshot.ts';
import { areDeletions, type Operation } from '../commit/write-queue.ts';
import { type DocKey, parseDocKey } from '../documents/doc-key.ts';
import { isPlain } from '../documents/sanitise.ts';
import { getLink } from '../trie/get.ts';
import type { Core, PreparedWrite, WriteOrder } from './core.ts';
import type { BulkWritten, Stored, Transaction, Written } from './database-results.ts';
import { mergeSettled } from './merger.ts';
import { conflictsAmong } from './past/concurrent-writes.ts';
import { documentIn, readLive } from './read.ts';

/** Number of tries after which a transaction gives up because its reads always changed. */
const ATTEMPTS_MAX = 100;

type Fields = Readonly<Record<string, unknown>>;

export interface WriteParts {
  readonly open: () => Promise<Core>;
  /** Checks a document and copies it. @throws FixpointError as `Database.put` */
  readonly prepare: (doc: object) => PreparedWrite;
  readonly prepareDeletion: (id: unknown) => PreparedWrite;
  readonly settled: WriteOrder['settled'];
}

/** See `Database.update`. */
export async function update<T extends object>(
  { open, prepare, settled }: WriteParts,
  id: string,
  change: (doc: Stored<T> | undefined) => object | undefined,
): Promise<Written> {
  const key = parseDocKey(id);
  if (typeof change !== 'function') throw new FixpointError('DOC_INVALID', 'update takes a function');
  const core = await open();
  await settled([key]);
  const { commits } = core;
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    let withFiles: Waiting | undefined;
    await mergeSettled(core, key);
    await commits.write(async (snapshot) => {
      withFiles = undefined;
      const link = await linkAt(core, snapshot, key);
      const before = link && ((await readLive(commits.readers, link)) as Stored<T> | undefined);
      const after = change(before) as Fields | undefined;
      if (after === undefined) return [];
      // A promise is rejected, too: while it is pending, no other write could be committed.
      if (typeof after !== 'object' || after === null || !isPlain(after))
        throw new FixpointError('DOC_INVALID', 'the function returned no document');
      const { operation } = prepare({ ...after, _id: id });
      if (typeof operation !== 'function') return [operation];
      withFiles = { link, operation };
      return [];
    });
    if (withFiles === undefined || (await writeIfCurrent(core, key, withFiles))) return { id };
  }
  throw new FixpointError('CONFLICT', 'other writes always changed the document');
}

/** A write whose files must be read first. */
interface Waiting {
  /** The block of the document that the write is based on. */
  readonly link: Cid | undefined;
  readonly operation: (core: Core) => Promise<Operation>;
}

/**
 * Reads the files and writes the document. Other writes and downloads continue while files are
 * read. Returns false, and writes nothing, if another write changed the document.
 */
async function writeIfCurrent(core: Core, key: DocKey, { link, operation }: Waiting): Promise<boolean> {
  const made = await operation(core);
  let isCurrent = false;
  await core.commits.write(async (snapshot) => {
    isCurrent = (await linkAt(core, snapshot, key)) === link;
    return isCurrent ? [made] : [];
  });
  return isCurrent;
}

/** See `BulkOptions.keepConflicts`. */
export async function writeUnlessConflict(
  core: Core,
  operations: readonly Operation[],
): Promise<BulkWritten> {
  const { commits } = core;
  const keys: readonly string[] = operations.map(({ key }) => key);
  // The first search reads all events. In the turn, other writes would wait for it.
  await conflictsAmong(core, commits.snapshot(), []);
  let kept: Pick<ReadonlySet<string>, 'has'> = new Set();
  const make = async (snapshot: Snapshot) => {
    kept = await conflictsAmong(core, snapshot, keys);
    return operations.filter(({ key }) => !kept.has(key));
  };
  try {
    if (operations.length > 0) await commits.write(make);
  } catch (cause) {
    if (!isFixpointError(cause, 'STORE_FULL') || !areDeletions(operations)) throw cause;
    // Only deletions that are known before their turn may use the space that is reserved for them.
    // Another tab may have stored a version since. If earlier writes can't be committed, the stored
    // state can't be read again.
    await commits.refresh().catch((full) => {
      if (!isFixpointError(full, 'STORE_FULL')) throw full;
    });
    await commits.write(await make(commits.snapshot()));
  }
  return {
    ids: keys.filter((key) => !kept.has(key)),
    kept: [...new Set(keys.filter((key) => kept.has(key)))],
  };
}

/**
 * See `Database.transact`.
 * @param keeps whether a write that changes nothing keeps the current version of a conflict, and so
 * ends it. A write that changes the document always ends its conflict.
 */
export async function transact<R>(
  parts: WriteParts,
  work: (transaction: Transaction) => Promise<R> | R,
  keeps = true,
): Promise<R> {
  if (typeof work !== 'function') throw new FixpointError('DOC_INVALID', 'transact takes a function');
  const core = await parts.open();
  await parts.settled();
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const done = await attempted(core, parts, work, keeps);
    if (done !== undefined) return done.result;
  }
  throw new FixpointError('CONFLICT', 'other writes always changed what the transaction read');
}

/** Returns undefined, and writes nothing, if another write changed what the transaction read. */
async function attempted<R>(
  core: Core,
  parts: WriteParts,
  work: (transaction: Transaction) => Promise<R> | R,
  keeps: boolean,
): Promise<{ readonly result: R } | undefined> {
  const { commits } = core;
  await commits.refresh();
  const held = commits.hold();
  const state: State = {
    core,
    parts,
    snapshot: held.snapshot,
    reads: new Map(),
    writes: new Map(),
    isOver: false,
  };
  try {
    const result = await work(transactionOf(state));
    state.isOver = true;
    const operations: Operation[] = [];
    for (const prepared of state.writes.values()) operations.push(await operationOf(core, prepared));
    if (operations.length === 0) return { result };
    const isForced = keeps && (await endsConflict(core, held.snapshot, operations));
    let isOvertaken = false;
    await commits.write(async (snapshot) => {
      isOvertaken = await isChanged(state, snapshot);
      return isOvertaken ? [] : operations.map((operation) => ({ ...operation, isForced }));
    });
    return isOvertaken ? undefined : { result };
  } catch (cause) {
    // Another process may have dropped what this version needs. Then there is a newer one.
    if (!isGone(cause)) throw cause;
    if (commits.snapshot() === held.snapshot) await commits.refresh();
    if (commits.snapshot() === held.snapshot) throw cause;
    return undefined;
  } finally {
    state.isOver = true;
    held.release();
  }
}

/**
 * Returns whether the only write keeps the current version of a conflict. Usually a write without a
 * change creates no event, but this one must follow all versions. If an old event can't be read,
 * there may be a conflict. An event that follows all versions ends it.
 */
async function endsConflict(
  core: Core,
  snapshot: Snapshot,
  operations: readonly Operation[],
): Promise<boolean> {
  const [only, more] = operations;
  if (only === undefined || more !== undefined) return false;
  if ((await linkAt(core, snapshot, only.key)) !== only.value.cid) return false;
  await core.commits.settle();
  return (await conflictsAmong(core, core.commits.snapshot(), [only.key], { ifUnreadable: true })).size > 0;
}

interface State {
  readonly core: Core;
  readonly parts: WriteParts;
  readonly snapshot: Snapshot;
  /** The blocks of the documents that were read; undefined for documents that don't exist. */
  readonly reads: Map<DocKey, Cid | undefined>;
  readonly writes: Map<DocKey, PreparedWrite>;
  isOver: boolean;
}

function transactionOf(state: State): Transaction {
  const { core, parts, snapshot, reads, writes } = state;
  const { readers } = core.commits;
  const requireOpen = () => {
    if (state.isOver) throw new FixpointError('REQUEST_INVALID', 'the transaction is over');
  };
  const write = (prepared: PreparedWrite): Written => {
    requireOpen();
    // The last write of a document counts, in the order of the last writes.
    writes.delete(prepared.key);
    writes.set(prepared.key, prepared);
    return { id: prepared.key };
  };
  return {
    get: async <T extends object>(id: string) => {
      requireOpen();
      const key = parseDocKey(id);
      const own = writes.get(key);
      if (own !== undefined) {
        const operation = await operationOf(core, own);
        if (writes.get(key) === own) writes.set(key, { key, operation });
        return documentIn(operation.value.bytes, readers, id) as Stored<T>;
      }
      // If a merge changes the document, the transaction starts over.
      await mergeSettled(core, key);
      const link = reads.has(key) ? reads.get(key) : await linkAt(core, snapshot, key);
      reads.set(key, link);
      if (link === undefined) throw new FixpointError('NOT_FOUND', id);
      return documentIn(await readers.block(link), readers, id) as Stored<T>;
    },
    put: (doc) => write(parts.prepare(doc)),
    del: (id) => write(parts.prepareDeletion(id)),
  };
}

/**
 * Returns whether a document that was read has another version now. A concurrent version counts
 * even if it isn't the current one: the write would follow it, though nobody saw it.
 */
async function isChanged({ core, reads, snapshot: before }: State, snapshot: Snapshot): Promise<boolean> {
  for (const [key, link] of reads) if ((await linkAt(core, snapshot, key)) !== link) return true;
  if (reads.size === 0 || snapshot.head.join() === before.head.join()) return false;
  const written = await keysSince(snapshot.head, before.head, core.commits.readers.event);
  return written.some((key) => reads.has(key as DocKey));
}

const linkAt = async ({ commits }: Core, { root }: Snapshot, key: DocKey): Promise<Cid | undefined> =>
  root === undefined ? undefined : getLink(commits.readers.shard, root, key);

const operationOf = async (core: Core, { operation }: PreparedWrite): Promise<Operation> =>
  typeof operation === 'function' ? operation(core) : operation;
