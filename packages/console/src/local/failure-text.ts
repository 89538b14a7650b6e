import { isFixpointError } from '@fixpoint/protocol';
import { missingScript } from '../ui/pages/missing-script.ts';

/** What users can do about a database error. */
const ADVICE: Readonly<Record<string, string>> = {
  STORE_FULL:
    'This browser’s storage is full. Delete data you no longer need, or free disk space, then try again.',
  STORE_FAILED: 'The browser couldn’t store it. Try again; if that doesn’t help, reload the page.',
  STORE_UNREADABLE:
    'The browser couldn’t open its storage. Private windows may block it; otherwise reload the page.',
  STORE_LOCKED: 'Close other pages that use this database, then try again.',
  WORKER_LOST: 'Reload the page. Saved data is safe.',
  DATABASE_CLOSED: 'The database was closed or deleted, perhaps in another tab. Reload the page.',
  FORMAT_NEWER: 'A newer version of Fixpoint wrote it. Reload the page to get that version.',
  KEY_UNKNOWN: 'This browser doesn’t have the key of this database, so it can’t read it.',
  HISTORY_COMPACTED: 'Compaction removed older versions on this device.',
  CORRUPT:
    'Stored data is damaged. Nothing was overwritten: copies that sync with this database still have it.',
};

/** Returns the message of an error, and what to do about it where that is known. */
export function failureText(error: unknown): string {
  const message = missingScript(error) ?? (error instanceof Error ? error.message : String(error));
  const advice = isFixpointError(error) ? ADVICE[error.code] : undefined;
  return advice === undefined ? message : `${message}. ${advice}`;
}
