/** The keys of a database's data in its byte store. */
import { type Cid, parseCid } from '../codec/cid.ts';
import type { ByteStore } from '../ports/byte-store.ts';

export const archiveKey = (cid: Cid) => `car/${cid}`;
export const blockIndexKey = (cid: Cid) => `idx/${cid}`;
/**
 * Marks an archive that hasn't been uploaded yet. These archives and the unsent archives of commits
 * form the upload queue.
 */
export const uploadKey = (cid: Cid) => `upload/${cid}`;
/** The small archive of a commit, which has no index. It waits for upload until marked as sent. */
export const commitKey = (cid: Cid) => `commit/${cid}`;
/** Marks the archive of a commit as sent. The row is empty. */
export const sentKey = (cid: Cid) => `sent/${cid}`;
/** Marks a downloaded archive whose head isn't merged yet. The row is empty. */
export const stagedKey = (cid: Cid) => `staged/${cid}`;
/** An archive of attached files. */
export const fileKey = (cid: Cid) => `file/${cid}`;
/** The time since which no document has referred to a file archive: JSON, ms since 1970. */
export const looseFileKey = (cid: Cid) => `loose/${cid}`;
export const remoteKey = (remoteId: string) => `remote/${remoteId}`;

/** Data that only this device uses, such as indexes. */
export const localKey = (name: string) => `local/${name}`;

/** The blocks that a next open reads first: see commit/opening/first-blocks.ts. */
export const FIRST_BLOCKS = localKey('first');
/** The archives whose blocks have places in parts; also starts the keys of the parts. */
export const PLACES = localKey('places');

/** Returns whether a row is derived from archives, so that removing it loses nothing. */
export const isDerived = (key: string): boolean =>
  key === FIRST_BLOCKS || key === PLACES || key.startsWith(`${PLACES}/`);

export const BLOCK_INDEXES = 'idx/';
export const ARCHIVES = 'car/';
export const COMMITS = 'commit/';
export const SENT = 'sent/';
export const STAGED = 'staged/';
export const FILES = 'file/';
export const LOOSE_FILES = 'loose/';
export const REMOTES = 'remote/';
export const UPLOADS = 'upload/';
export const LOCAL_ROWS = 'local/';
/** Acknowledged writes that no commit contains yet: see commit/pending/pending-rows.ts. */
export const PENDING = 'pending/';

/** The number of the last row of pending writes that any tab stored: see append-row.ts. */
export const LAST_PENDING = 'last-pending';

/** Returns the archives that have a key with this prefix. */
export const archivesUnder = async (store: Pick<ByteStore, 'keys'>, prefix: string): Promise<Set<Cid>> =>
  new Set((await store.keys(prefix)).map((key) => parseCid(nameIn(prefix, key))));

/** Returns the part of a key after the prefix. */
export const nameIn = (prefix: string, key: string): string => key.slice(prefix.length);
