/** Indexes of a database: each follows the head by the changes since its own. They live in memory and are built by the first query. */
import { FixpointError } from '@fixpoint/protocol';
import { Lru } from '../base/lru.ts';
import { changesSince } from '../clock/changes-since.ts';
import type { Commits } from '../commit/open.ts';
import type { Snapshot } from '../commit/snapshot.ts';
import { decodeDocument } from '../documents/encode.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import { entries } from '../trie/entries.ts';
import { getLink } from '../trie/get.ts';
import { checkMap, type MapFunction, type QueryOptions, runNative } from './define.ts';
import { mergeRows, type Row, rowsBetween, rowsWithPrefix } from './sorted-rows.ts';

const INDEXES_KEPT = 50;

type Map = string | MapFunction | { readonly source: string };

interface Index {
  snapshot: Snapshot | undefined;
  rows: readonly Row[];
  /** Updates go one after another. */
  updating: Promise<void>;
}

export interface Indexes {
  /** Rows as of the snapshot that comes with them. @throws FixpointError MAP_FAILED */
  query(map: Map, options: QueryOptions): Promise<{ rows: readonly Row[]; snapshot: Snapshot }>;
}

export function createIndexes(commits: Commits, sandbox: Sandbox | undefined): Indexes {
  const indexes = new Lru<unknown, Index>(INDEXES_KEPT);

  function indexFor(map: Map): Index {
    const identity =
      typeof map === 'object' ? `source:${map.source}` : typeof map === 'string' ? `field:${map}` : map;
    const known = indexes.get(identity);
    if (known !== undefined) return known;
    const index: Index = { snapshot: undefined, rows: [], updating: Promise.resolve() };
    indexes.set(identity, index);
    return index;
  }

  async function update(index: Index, map: Map): Promise<void> {
    const now = commits.snapshot();
    const before = index.snapshot;
    if (before !== undefined && before.head.join() === now.head.join()) return;
    const changed = await changedDocuments(commits, before, now);
    const fresh = await rowsFor(map, changed.live, sandbox);
    index.rows = mergeRows(index.rows, changed.ids, fresh);
    index.snapshot = now;
  }

  return {
    query: async (map, options) => {
      checkMap(map);
      const index = indexFor(map);
      const done = index.updating.then(() => update(index, map));
      index.updating = done.catch(() => undefined);
      await done;
      return { rows: select(index.rows, options), snapshot: index.snapshot ?? commits.snapshot() };
    },
  };
}

type LiveDocument = Readonly<Record<string, unknown>> & { readonly _id: string };

/** Documents that an index has to look at again: their ids, and those that are there. */
async function changedDocuments(
  { readers }: Commits,
  before: Snapshot | undefined,
  { head, root }: Snapshot,
) {
  const links = new Map<string, Awaited<ReturnType<typeof getLink>>>();
  if (root !== undefined && before === undefined)
    for await (const [key, value] of entries(readers.shard, root)) links.set(key, value);
  else if (root !== undefined)
    for (const { key } of await changesSince(head, before?.head ?? [], readers.event))
      links.set(key, await getLink(readers.shard, root, key));
  links.delete(GENESIS_KEY);
  const live: LiveDocument[] = [];
  for (const value of links.values()) {
    const stored = value && decodeDocument(await readers.block(value));
    if (stored !== undefined && 'doc' in stored) live.push(stored.doc);
  }
  return { ids: new Set(links.keys()), live };
}

async function rowsFor(
  map: Map,
  docs: readonly LiveDocument[],
  sandbox: Sandbox | undefined,
): Promise<Row[]> {
  if (typeof map !== 'object')
    return docs.flatMap((doc) => runNative(map, doc).map(({ key, value }) => ({ key, value, id: doc._id })));
  if (sandbox === undefined)
    throw new FixpointError('MAP_FAILED', 'no sandbox to run the text of a function');
  const emitted = await sandbox.run(map.source, docs);
  return emitted.map(({ at, key, value }) => ({ key, value, id: docs[at]?._id ?? '' }));
}

function select(
  all: readonly Row[],
  { key, keys, range, prefix, limit, descending = false }: QueryOptions,
): readonly Row[] {
  const ordered = (rows: readonly Row[]) => (descending ? rows.toReversed() : rows);
  let rows: readonly Row[];
  if (range !== undefined) rows = ordered(rowsBetween(all, range[0], range[1]));
  else if (key !== undefined) rows = ordered(rowsBetween(all, key, key));
  else if (keys !== undefined) rows = keys.flatMap((one) => rowsBetween(all, one, one));
  else if (prefix !== undefined) rows = ordered(rowsWithPrefix(all, prefix));
  else rows = ordered(all);
  return limit === undefined ? rows : rows.slice(0, Math.max(0, limit));
}
