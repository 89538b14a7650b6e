/** Browser storage of local databases carries this prefix (spec §5, data format 9.3). */
export const LOCAL_PREFIX = 'fp.';
/** Where connections of local databases to remotes are recorded (spec §9). */
export const SYNC_DATABASE = 'fp_sync';
/** Local databases that the product keeps for itself; lists of databases leave them out (spec §5). */
export const RESERVED_DATABASES: readonly string[] = [SYNC_DATABASE, 'petname_mappings'];
/** Databases whose names end so hold saved queries; lists of databases leave them out (spec §5). */
export const QUERIES_SUFFIX = '_queries';
/** Local copies of ledgers that the console shows; lists of local databases leave them out. */
export const LEDGER_CACHE_PREFIX = 'cloud-ledger-';
/** Scheme of cloud storage URLs (spec §9). */
export const CLOUD_SCHEME = 'fpcloud';
export const STORAGE_PATH = '/fp';
export const SOCKET_PATH = '/ws';
export const ADMIN_PATH = '/api';

/** The remote name as it stands in routes: leading non-alphanumerics go, other runs of them become one underscore (spec §5). */
export function sanitizeRemoteName(name: string): string {
  return name.replace(/^[^a-zA-Z0-9]+/, '').replace(/[^a-zA-Z0-9]+/g, '_');
}

/** Name of the browser storage of a local database (data format 9.3). Keeps `-`; other runs of non-alphanumerics become `_`. */
export function localStorageName(name: string): string {
  return LOCAL_PREFIX + name.replace(/^[^a-zA-Z0-9]+(?=.)/, '').replace(/[^a-zA-Z0-9-]+/g, '_');
}

/** The database that holds the saved queries of a local database. */
export function savedQueriesName(database: string): string {
  return `fp_${database}${QUERIES_SUFFIX}`;
}

/** Characters that nobody sees, or that turn the direction of what follows. Joiners are kept within emoji and between letters of scripts that need them. */
const UNSEEN =
  /\u034f|[\u17b4\u17b5]|[\u180b-\u180f]|[\u00ad\u061c\u115f\u1160\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const LOOSE_JOINER =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Lo}])[\u200c\u200d]|[\u200c\u200d](?![\p{Extended_Pictographic}\p{M}\p{Lo}])/gu;

/** A name as it is stored and shown: in Unicode's composed form (NFC), without characters that are unseen or change the direction of text. */
export const visibleName = (name: string): string =>
  name.normalize('NFC').replace(UNSEEN, '').replace(LOOSE_JOINER, '').trim();

/** Names that are the same but for case. */
export const foldedName = (name: string): string => visibleName(name).toUpperCase().toLowerCase();
