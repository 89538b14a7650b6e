/** Reads who wrote the latest changes of documents, and what they changed. */
import { isFixpointError } from '@fixpoint/protocol';
import type { ChangeRow, CommitEvent, Database, DocumentChange, DocumentVersion, Stored } from 'fixpoint';
import { type ChangedField, changedField, changedNames } from './commits/field-summary.ts';

const PAGE = 200;
/** Older changes are listed without an author. */
const EVENTS_MAX = 2000;

/**
 * Returns these events as far as they are among the latest {@link EVENTS_MAX} ones.
 * @throws FixpointError; the reason of the signal
 */
export async function eventsByName(
  database: Pick<Database, 'events'>,
  names: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, CommitEvent>> {
  const found = new Map<string, CommitEvent>();
  let after: string | undefined;
  for (let count = 0; found.size < names.size && count < EVENTS_MAX; count += PAGE) {
    const page = await database.events({ limit: PAGE, after, signal });
    for (const event of page) if (names.has(event.event)) found.set(event.event, event);
    if (page.length < PAGE) break;
    after = page.at(-1)?.event;
  }
  return found;
}

/** The difference between a version of a document and the state that its write was based on. */
export interface VersionChange {
  /** Such as "Created". */
  readonly what: string;
  /** The first changed field; undefined unless both states are known. */
  readonly field: ChangedField | undefined;
  /** All fields that were added, changed or removed. */
  readonly fields: ReadonlySet<string>;
  /** Whether another version was written at the same time. */
  readonly isConcurrent: boolean;
}

export interface ComparedVersion {
  readonly version: DocumentVersion;
  readonly before: Before;
  readonly change: VersionChange;
  /** Whether the document has this version now. */
  readonly isCurrent: boolean;
}

/** A document at the parents of the event that wrote one of its versions. */
export interface Before {
  /** Undefined if there was no document, or if it can't be read. */
  readonly value?: Stored;
  /** Why it can't be read. */
  readonly lost?: 'not kept' | 'compacted' | 'unreadable';
  readonly wasDeleted?: boolean;
}

/**
 * Returns the latest versions of a document, newest first. Compares each with the document at its
 * parents, as the list of changes does. The version that is listed before it may be one that
 * another device wrote at the same time.
 * @throws FixpointError; the reason of the signal
 */
export async function comparedVersions(
  database: VersionsDatabase,
  id: string,
  options: { readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly ComparedVersion[]> {
  const versions = await database.history(id, options);
  const isAll = versions.length < options.limit;
  const current = await currentIndex(database, id, versions);
  return Promise.all(
    versions.map(async (version, at) => {
      options.signal.throwIfAborted();
      const before = await beforeOf(database, id, version, isAll && at === versions.length - 1);
      return { version, before, change: compare(id, version, before), isCurrent: at === current };
    }),
  );
}

export type VersionsDatabase = Pick<Database, 'history' | 'at' | 'head'>;

/** Returns which version the document has now. Those that lost against it may be listed first. */
async function currentIndex(
  database: VersionsDatabase,
  id: string,
  versions: readonly DocumentVersion[],
): Promise<number> {
  if (!versions.some(({ concurrent }) => concurrent)) return 0;
  const current = JSON.stringify(await currentOf(database, id));
  return Math.max(
    0,
    versions.findIndex(({ value }) => JSON.stringify(value) === current),
  );
}

/** Returns the current document; undefined if there is none. */
export async function currentOf(
  database: Pick<Database, 'at' | 'head'>,
  id: string,
): Promise<Stored | undefined> {
  const { rows } = await database.at(await database.head()).allDocs({ key: id });
  return rows[0]?.value;
}

function compare(id: string, version: DocumentVersion, before: Before): VersionChange {
  const change: DocumentChange = { id, before: before.value, after: version.value } as DocumentChange;
  const isKnown = version.isDropped !== true && before.lost === undefined;
  return {
    what: whatHappened(version, before),
    field: isKnown ? changedField([change]) : undefined,
    fields: isKnown ? changedNames([change]) : new Set(),
    isConcurrent: version.concurrent,
  };
}

/** Errors that mean that stored data, or its key, is missing or damaged. */
const DAMAGE = ['MISSING_BLOCK', 'MISSING_CARS', 'CORRUPT', 'KEY_UNKNOWN'] as const;

/**
 * Returns the document that the write of a version was based on.
 * @param isFirst whether no older event wrote the document
 * @throws FixpointError, unless only this version's data is missing or damaged
 */
export async function beforeOf(
  database: Pick<Database, 'at'>,
  id: string,
  { parents, isDropped, isHorizon }: DocumentVersion,
  isFirst: boolean,
): Promise<Before> {
  if (isDropped === true || isHorizon === true) return { lost: 'not kept' };
  if (isFirst) return {};
  try {
    const { rows } = await database.at(parents).allDocs({ key: id, includeDeleted: true });
    const value = rows[0]?.value;
    return value?.['_deleted'] === true ? { wasDeleted: true } : { ...(value && { value }) };
  } catch (cause) {
    if (isFixpointError(cause, 'HISTORY_COMPACTED')) return { lost: 'compacted' };
    // Other errors, such as a store that fails, aren't about this version.
    if (!DAMAGE.some((code) => isFixpointError(cause, code))) throw cause;
    return { lost: 'unreadable' };
  }
}

/** Returns in a few words how a version of a document differs from the state before it. */
function whatHappened({ value, isDropped, isHorizon }: DocumentVersion, before: Before): string {
  if (isDropped === true) return 'Content no longer on this device';
  if (isHorizon === true) return 'Snapshot created when older versions were removed';
  if (value === undefined) return 'Deleted';
  if (before.wasDeleted === true) return 'Created again';
  return before.value === undefined && before.lost === undefined ? 'Created' : 'Changed';
}

/** Numbers of versions to search for the current one. Those that lost may be listed first. */
const LOOKED = [10, 200];

/**
 * Returns what an event changed in a document, if it wrote one of the latest versions.
 * @throws FixpointError; the reason of the signal
 */
export async function latestChange(
  database: VersionsDatabase,
  { key, clock }: Pick<ChangeRow, 'clock' | 'key'>,
  signal: AbortSignal,
): Promise<VersionChange | undefined> {
  for (const limit of LOOKED) {
    const versions = await database.history(key, { limit, signal });
    const at = versions.findIndex(({ event }) => event === clock);
    const isAll = versions.length < limit;
    const version = versions[at];
    if (version !== undefined)
      return compare(
        key,
        version,
        await beforeOf(database, key, version, isAll && at === versions.length - 1),
      );
    if (isAll) return undefined;
  }
  return undefined;
}

/** Returns a change as one line, such as "name: Ghotuo → X0 and 2 more". */
export function textOfChange({ what, field }: VersionChange): string {
  if (field === undefined) return what;
  const { before, after, more } = field;
  const values = [before, after ?? 'removed'].filter((value) => value !== undefined).join(' → ');
  return `${field.field}: ${values}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
}
