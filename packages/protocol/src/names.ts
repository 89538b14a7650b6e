/** Prefix of the name of the browser storage of a local database (spec §5.8). */
export const LOCAL_PREFIX = 'fp.';
/** The database that records which local databases are connected to which remotes (spec §9). */
export const SYNC_DATABASE = 'fp_sync';
/** Local databases for internal use; lists of databases omit them (spec §5). */
export const RESERVED_DATABASES: readonly string[] = [SYNC_DATABASE, 'petname_mappings'];
/** Suffix of databases that hold saved queries; lists of databases omit them (spec §5). */
export const QUERIES_SUFFIX = '_queries';
/**
 * Prefix of the names of local copies of ledgers, which the console shows. Lists of local databases
 * omit these copies.
 */
export const LEDGER_CACHE_PREFIX = 'cloud-ledger-';
/** Scheme of cloud storage URLs (spec §9). */
export const CLOUD_SCHEME = 'fpcloud';
export const STORAGE_PATH = '/fp';
export const SOCKET_PATH = '/ws';
export const ADMIN_PATH = '/api';
/** Where pages of registered applications send their requests. */
export const APPLICATION_PATH = '/api/app';
/** Where pages that use the gateway extend the token that they have. */
export const EXTEND_PATH = '/api/extend';
/**
 * Parameters in the fragment of an application's redirect URL. Their names can't belong to the
 * application, and servers and `Referer` headers don't get fragments.
 */
export const SIGN_IN_ANSWER = {
  code: 'fixpoint_code',
  state: 'fixpoint_state',
  error: 'fixpoint_error',
} as const;

/**
 * Returns a remote's name in the form that routes use (spec §5). Drops leading characters that
 * aren't letters or digits, and replaces each later run of such characters with `_`.
 */
export function sanitizeRemoteName(name: string): string {
  return name.replace(/^[^a-zA-Z0-9]+/, '').replace(/[^a-zA-Z0-9]+/g, '_');
}

/**
 * Returns the name of a local database's browser storage (spec §5.8). Drops leading characters that
 * aren't letters or digits. Keeps later `-`, and replaces each run of other such characters with
 * `_`.
 */
export function localStorageName(name: string): string {
  return LOCAL_PREFIX + name.replace(/^[^a-zA-Z0-9]+(?=.)/, '').replace(/[^a-zA-Z0-9-]+/g, '_');
}

/** Returns the name of the database that holds the saved queries of a local database. */
export function savedQueriesName(database: string): string {
  return `fp_${database}${QUERIES_SUFFIX}`;
}

/**
 * Characters that are invisible or change the direction of the text after them. Joiners aren't
 * included: `LOOSE_JOINER` matches them, except within emoji and between letters of scripts that
 * need them.
 */
const UNSEEN =
  /\u034f|[\u17b4\u17b5]|[\u180b-\u180f]|[\u00ad\u061c\u115f\u1160\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\u2800\u3164\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;
const LOOSE_JOINER =
  /(?<![\p{Extended_Pictographic}\p{Emoji_Modifier}\p{M}\p{Lo}])[\u200c\u200d]|[\u200c\u200d](?![\p{Extended_Pictographic}\p{M}\p{Lo}])/gu;

/**
 * Returns a name in the form in which it is stored and shown. Composes characters (Unicode NFC),
 * and drops outer spaces and characters that are invisible or change the text direction.
 */
export const visibleName = (name: string): string =>
  name.normalize('NFC').replace(UNSEEN, '').replace(LOOSE_JOINER, '').trim();

/** Returns a text that is the same for names that differ only in case. */
export const foldedName = (name: string): string => visibleName(name).toUpperCase().toLowerCase();
