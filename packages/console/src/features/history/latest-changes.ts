/** Reads who wrote the latest change of documents, and what it changed. */
import type { CommitEvent, Database, DocumentChange, DocumentVersion } from 'fixpoint';
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

/** The difference between a version of a document and the version before it. */
export interface VersionChange {
  /** Such as "Created". */
  readonly what: string;
  /** The first changed field; undefined unless both versions are known. */
  readonly field: ChangedField | undefined;
  /** All fields that were added, changed or removed. */
  readonly fields: ReadonlySet<string>;
}

/**
 * @param older undefined for the first version of a document
 */
export function versionChange(
  id: string,
  version: DocumentVersion,
  older: DocumentVersion | undefined,
): VersionChange {
  const change: DocumentChange = { id, before: older?.value, after: version.value } as DocumentChange;
  const isKnown = version.isHorizon !== true && version.isDropped !== true && older?.isDropped !== true;
  return {
    what: whatHappened(version, older),
    field: isKnown ? changedField([change]) : undefined,
    fields: isKnown ? changedNames([change]) : new Set(),
  };
}

/** Returns in a few words how a version of a document differs from the version before it. */
function whatHappened(version: DocumentVersion, older: DocumentVersion | undefined): string {
  const { value, isDropped, isHorizon } = version;
  if (isDropped === true) return 'Content no longer on this device';
  if (isHorizon === true) return 'Snapshot created when older versions were removed';
  if (value === undefined) return 'Deleted';
  if (older === undefined) return 'Created';
  return older.value === undefined && older.isDropped !== true ? 'Created again' : 'Changed';
}

/** Returns the latest change of a document. @throws FixpointError; the reason of the signal */
export async function latestChange(
  database: Pick<Database, 'history'>,
  id: string,
  signal: AbortSignal,
): Promise<VersionChange | undefined> {
  const [version, older] = await database.history(id, { limit: 2, signal });
  return version && versionChange(id, version, older);
}

/** Returns a change as one line, such as "name: Ghotuo → X0 and 2 more". */
export function textOfChange({ what, field }: VersionChange): string {
  if (field === undefined) return what;
  const { before, after, more } = field;
  const values = [before, after ?? 'removed'].filter((value) => value !== undefined).join(' → ');
  return `${field.field}: ${values}${more > 0 ? ` and ${more.toLocaleString('en')} more` : ''}`;
}
