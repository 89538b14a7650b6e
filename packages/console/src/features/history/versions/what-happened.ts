import type { DocumentVersion } from 'fixpoint';

/** Returns in a few words how a version of a document differs from the version before it. */
export function whatHappened(version: DocumentVersion, older: DocumentVersion | undefined): string {
  const { value, isDropped, isHorizon } = version;
  if (isDropped === true) return 'Content no longer on this device';
  if (isHorizon === true) return 'Snapshot created when older versions were removed';
  if (value === undefined) return 'Deleted';
  if (older === undefined) return 'Created';
  return older.value === undefined && older.isDropped !== true ? 'Created again' : 'Changed';
}
