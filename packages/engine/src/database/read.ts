import { FixpointError } from '@fixpoint/protocol';
import { changesSince } from '../clock/changes-since.ts';
import type { Head } from '../clock/event.ts';
import type { Cid } from '../codec/cid.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import { parseDocKey } from '../documents/doc-key.ts';
import { decodeDocument } from '../documents/encode.ts';
import { GENESIS_KEY } from '../documents/genesis.ts';
import { withFiles } from '../files/read-file.ts';
import { entries } from '../trie/entries.ts';
import { getLink } from '../trie/get.ts';
import type { AllDocsOptions, ChangeRow, DocRow, Stored } from './database.ts';

/** The document as it is in the snapshot; undefined when there is none or it was deleted. */
export async function findDocument(
  readers: Readers,
  { root }: Snapshot,
  id: string,
): Promise<Stored | undefined> {
  const key = parseDocKey(id);
  if (root === undefined || key === GENESIS_KEY) return undefined;
  const value = await getLink(readers.shard, root, key);
  return value && readLive(readers, value);
}

/** @throws FixpointError NOT_FOUND */
export async function getDocument(readers: Readers, snapshot: Snapshot, id: string): Promise<Stored> {
  const found = await findDocument(readers, snapshot, id);
  if (found === undefined) throw new FixpointError('NOT_FOUND', id);
  return found;
}

export async function readLive(readers: Readers, value: Cid): Promise<Stored | undefined> {
  const stored = decodeDocument(await readers.block(value));
  return 'doc' in stored ? withFiles(stored.doc, readers.fileArchive) : undefined;
}

export async function allDocuments(
  readers: Readers,
  snapshot: Snapshot,
  options: AllDocsOptions,
): Promise<DocRow[]> {
  const { limit = Number.POSITIVE_INFINITY, includeDeleted = false, descending = false } = options;
  const wanted = await linksFor(readers, snapshot, options);
  if (descending) wanted.reverse();
  const rows: DocRow[] = [];
  for (const [key, value] of wanted) {
    if (rows.length >= limit) break;
    const doc = await readLive(readers, value);
    if (doc !== undefined) rows.push({ key, value: doc });
    else if (includeDeleted) rows.push({ key, value: { _id: key, _deleted: true } });
  }
  return rows;
}

async function linksFor(
  readers: Readers,
  { root }: Snapshot,
  options: AllDocsOptions,
): Promise<(readonly [string, Cid])[]> {
  if (root === undefined) return [];
  const keys = options.key === undefined ? options.keys : [options.key];
  if (keys !== undefined) {
    const links = await Promise.all(
      keys.map(async (key) => [key, await getLink(readers.shard, root, parseDocKey(key))] as const),
    );
    return links.flatMap(([key, value]) =>
      value === undefined || key === GENESIS_KEY ? [] : [[key, value] as const],
    );
  }
  const { prefix = '', range } = options;
  const found: (readonly [string, Cid])[] = [];
  for await (const entry of entries(readers.shard, root)) {
    const [key] = entry;
    const inRange = range === undefined || (key >= range[0] && key <= range[1]);
    if (key !== GENESIS_KEY && key.startsWith(prefix) && inRange) found.push(entry);
  }
  return found;
}

/** The documents with these ids as they are now; deleted ones as `{_id, _deleted: true}`. */
export function currentDocuments(
  readers: Readers,
  snapshot: Snapshot,
  ids: readonly string[],
): Promise<Stored[]> {
  return Promise.all(
    ids.map(async (id) => (await findDocument(readers, snapshot, id)) ?? { _id: id, _deleted: true }),
  );
}

/** The newest documents that were written since a head, oldest first. */
export async function changedDocuments(
  readers: Readers,
  snapshot: Snapshot,
  since: Head,
  limit: number,
): Promise<ChangeRow[]> {
  const changed = await changesSince(snapshot.head, since, readers.event);
  const told = changed.filter(({ key }) => key !== GENESIS_KEY);
  const newest = told.slice(Math.max(0, told.length - limit));
  const docs = await currentDocuments(
    readers,
    snapshot,
    newest.map(({ key }) => key),
  );
  return newest.flatMap(({ key, event }, at) => {
    const value = docs[at];
    return value === undefined ? [] : [{ key, value, clock: event }];
  });
}
