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
}

/** A document at the parents of the event that wrote one of its versions. */
export interface Before {
  /** Undefined if there was no document, or if it can't be read. */
  readonly value?: Stored;
  /** Why it can't be read. */
  readonly lost?: 'not kept' | 'compacted' | 'unreadable';
  readonly wasDeleted?: boolean;
}

/** Returns the latest versions of a document, newest first. @throws as {@link compareVersion} */
export async function comparedVersions(
  database: VersionsDatabase,
  id: string,
  options: { readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly ComparedVersion[]> {
  const versions = await database.history(id, options);
  return Promise.all(versions.map((version) => compareVersion(database, id, version, options.signal)));
}

export type VersionsDatabase = Pick<Database, 'history' | 'at'>;

/**
 * Compares a version with the document at its parents, as the list of changes does. The version
 * that is listed before it may be one that another device wrote at the same time.
 * @throws the reason of the signal
 */
async function compareVersion(
  database: Pick<Database, 'at'>,
  id: string,
  version: DocumentVersion,
  signal: AbortSignal,
): Promise<ComparedVersion> {
  signal.throwIfAborted();
  const before = await beforeOf(database, id, version);
  const change: DocumentChange = { id, before: before.value, after: version.value } as DocumentChange;
  const isKnown = version.isDropped !== true && before.lost === undefined;
  return {
    version,
    before,
    change: {
      what: whatHappened(version, before),
      field: isKnown ? changedField([change]) : undefined,
      fields: isKnown ? changedNames([change]) : new Set(),
      isConcurrent: version.concurrent,
    },
  };
}

/** Returns the document that the write of a version was based on. */
export async function beforeOf(
  database: Pick<Database, 'at'>,
  id: string,
  { parents, isDropped, isHorizon }: DocumentVersion,
): Promise<Before> {
  if (isDropped === true || isHorizon === true) return { lost: 'not kept' };
  try {
    const { rows } = await database.at(parents).allDocs({ key: id, includeDeleted: true });
    const value = rows[0]?.value;
    return value?.['_deleted'] === true ? { wasDeleted: true } : { ...(value && { value }) };
  } catch (cause) {
    return { lost: isFixpointError(cause, 'HISTORY_COMPACTED') ? 'compacted' : 'unreadable' };
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

/** Number of versions among which the current one is. Those of a conflict may be listed first. */
const LOOKED = 10;

/**
 * Returns what an event changed in a document, if it wrote one of the latest versions.
 * @throws FixpointError; the reason of the signal
 */
export async function latestChange(
  database: VersionsDatabase,
  { key, clock }: Pick<ChangeRow, 'clock' | 'key'>,
  signal: AbortSignal,
): Promise<VersionChange | undefined> {
  const versions = await database.history(key, { limit: LOOKED, signal });
  const version = versions.find(({ event }) => event === clock);
  return version && (await compareVersion(database, key, version, signal)).change;
}

/** Returns a change as one line, such as "name: Ghotuo → X0 and 2 more". */
export function textOfChange({ what, field }: VersionChange): string {
  if (field === undefined) return what;
  const { before, after, more } = field;
  const values = [before, after ?? 'removed'].filter((value) => value !== undefined).join(' → ');
  return `${field.field}: ${values}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
}
