import { createHash } from 'node:crypto';

/**
 * Returns a file name that is unique to this database: readable where possible, and never a path.
 */
export function fileNameOf(database: string): string {
  const readable = database.replace(/[^A-Za-z0-9_-]+/g, '_').slice(0, 60);
  if (readable === database) return readable;
  return `${readable}.${createHash('sha256').update(database).digest('hex').slice(0, 16)}`;
}
