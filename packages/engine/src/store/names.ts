/** The keys of a database's data in its byte store. */
import { type Cid, parseCid } from '../codec/cid.ts';
import type { ByteStore } from '../ports/byte-store.ts';

export const archiveKey = (cid: Cid) => `car/${cid}`;
export const blockIndexKey = (cid: Cid) => `idx/${cid}`;
/**
 * Archives whose blocks a remote doesn't have yet. With the unsent archives of commits, they are
 * the upload queue.
 */
export const uploadKey = (cid: Cid) => `upload/${cid}`;
/** The small archive of a commit: it has no index, and waits for upload until marked as sent. */
export const commitKey = (cid: Cid) => `commit/${cid}`;
/** Archives of commits that a remote has: no bytes. */
export const sentKey = (cid: Cid) => `sent/${cid}`;
/** Archives of a download whose head is not merged yet: no bytes. */
export const stagedKey = (cid: Cid) => `staged/${cid}`;
/** The archives of attached files, apart from those of blocks. */
export const fileKey = (cid: Cid) => `file/${cid}`;
/** A file archive that no document references, with the time since when: JSON, ms since 1970. */
export const looseFileKey = (cid: Cid) => `loose/${cid}`;
export const remoteKey = (remoteId: string) => `remote/${remoteId}`;

/** Data that only this device uses, such as indexes. */
export const localKey = (name: string) => `local/${name}`;

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

/** Returns the archives that have a key with this prefix. */
export const archivesUnder = async (store: Pick<ByteStore, 'keys'>, prefix: string): Promise<Set<Cid>> =>
  new Set((await store.keys(prefix)).map((key) => parseCid(nameIn(prefix, key))));

/** Returns the part after the prefix. */
export const nameIn = (prefix: string, key: string): string => key.slice(prefix.length);
