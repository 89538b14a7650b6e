/** Rows that list archives. */
import { type Cid, parseCid } from '../codec/cid.ts';
import type { ByteStore, StoreChange } from '../ports/byte-store.ts';
import { archivesUnder, nameIn, SENT, sentKey, UPLOADS, uploadKey } from './names.ts';

const NOTHING = new Uint8Array();

type Known = ReadonlyMap<Cid, { readonly isCommit: boolean }>;

/**
 * Returns the archives that have a row under a prefix. The value is the row, or undefined if the
 * archive is already known.
 * @param known if absent, reads all rows at once
 */
export async function rowsUnder(
  store: ByteStore,
  prefix: string,
  known?: Known,
): Promise<ReadonlyMap<Cid, Uint8Array | undefined>> {
  const cidOf = (key: string) => parseCid(nameIn(prefix, key));
  if (known === undefined)
    return new Map(Array.from(await store.readPrefix(prefix), ([key, row]) => [cidOf(key), row]));
  const rows = (await store.keys(prefix)).map(async (key) => {
    const cid = cidOf(key);
    return [cid, known.has(cid) ? undefined : await store.read(key)] as const;
  });
  return new Map(await Promise.all(rows));
}

/** Returns the archives whose blocks haven't been uploaded yet. */
export async function pendingArchives(store: ByteStore, known: Known): Promise<ReadonlySet<Cid>> {
  const waiting = await archivesUnder(store, UPLOADS);
  const sent = await archivesUnder(store, SENT);
  for (const [cid, { isCommit }] of known) if (isCommit && !sent.has(cid)) waiting.add(cid);
  return waiting;
}

/** Returns the changes that mark archives as sent. */
export const sentChanges = (archives: readonly Cid[], known: Known): StoreChange[] =>
  archives.map((cid) =>
    known.get(cid)?.isCommit
      ? { key: sentKey(cid), bytes: NOTHING }
      : { key: uploadKey(cid), bytes: undefined },
  );
