import { isFixpointError } from '@fixpoint/protocol';
import { missingScript } from '../ui/pages/missing-script.ts';

/** What users can do about a database error. */
const ADVICE: Readonly<Record<string, string>> = {
  STORE_FULL:
    'This browser has no room left: delete what is no longer needed, or free disk space, and try again.',
  STORE_FAILED: 'The browser could not store it. Try again; if it stays so, reload the page.',
  STORE_UNREADABLE:
    'The browser could not open its storage. Private windows may forbid it; otherwise reload the page.',
  STORE_LOCKED: 'Close other pages that use this database, and try again.',
  WORKER_LOST: 'Reload the page. What was saved is safe.',
  DATABASE_CLOSED: 'The database was closed or deleted, perhaps in another tab. Reload the page.',
  FORMAT_NEWER: 'A newer version of Fixpoint wrote it. Reload the page to get that version.',
  KEY_UNKNOWN: 'The key of this database is not in this browser, so it cannot be read here.',
  HISTORY_COMPACTED: 'Older versions were removed by compaction on this device.',
  CORRUPT:
    'Stored data was damaged. Nothing was overwritten: copies that sync with this database still have it.',
};

/** Returns the message of an error, and what to do about it where that is known. */
export function failureText(error: unknown): string {
  const message = missingScript(error) ?? (error instanceof Error ? error.message : String(error));
  const advice = isFixpointError(error) ? ADVICE[error.code] : undefined;
  return advice === undefined ? message : `${message}. ${advice}`;
}
