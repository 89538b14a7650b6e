/** Decides which databases of this browser are shown, and which names new databases may have. */
import {
  LEDGER_CACHE_PREFIX,
  LOCAL_PREFIX,
  localStorageName,
  QUERIES_SUFFIX,
  RESERVED_DATABASES,
} from '@fixpoint/protocol';

/** Names that spec §5 reserves for the product, in all their spellings. */
const RESERVED: ReadonlySet<string> = new Set([
  ...RESERVED_DATABASES,
  'sync',
  'petname-mapping',
  'petname-mappings',
  'petname_mapping',
]);

const isOwn = (name: string): boolean =>
  name === '' || RESERVED.has(name) || name.endsWith(QUERIES_SUFFIX) || name.startsWith(LEDGER_CACHE_PREFIX);

/** Returns names to show for storage names, by the rules of spec §5. */
export function visibleNames(storageNames: readonly string[]): string[] {
  return storageNames
    .filter((name) => name.startsWith(LOCAL_PREFIX))
    .map((name) => name.slice(LOCAL_PREFIX.length))
    .filter((name) => !isOwn(name))
    .sort();
}

/** Returns the name under which a database is listed: its storage name without the prefix. */
export const listedName = (name: string): string => localStorageName(name).slice(LOCAL_PREFIX.length);

/** Returns why a new database can't have this name; undefined when it can. */
export function problemOfName(name: string, existing: readonly string[]): string | undefined {
  if (name === '') return 'Name is required';
  const listed = listedName(name);
  if (isOwn(listed)) return 'Fixpoint reserves this name. Choose another one.';
  if (existing.includes(listed)) return `A database named "${listed}" already exists.`;
  return undefined;
}
