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
