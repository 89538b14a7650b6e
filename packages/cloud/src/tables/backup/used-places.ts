/**
 * Remembers where this server has made backups. If such a place is empty, it is usually the folder
 * of a disk that isn't mounted.
 */
import { createHash } from 'node:crypto';
import type { Connection } from '../connection.ts';
import { hasMark, markOf } from '../first-writer-rows.ts';

/** Beginning of the names of rows in `CloudMarks`. A restore removes them. */
export const USED_PLACE = 'backups in ';

export interface UsedPlace {
  isUsed(): Promise<boolean>;
  /** Records that a backup was made there. */
  use(): Promise<void>;
}

/** @param place text that identifies the place */
export function usedPlace(db: Connection, place: string): UsedPlace {
  const name = USED_PLACE + createHash('sha256').update(place).digest('hex').slice(0, 32);
  return {
    isUsed: () => hasMark(db, name),
    use: async () => void (await markOf(db, name, 'used')),
  };
}
