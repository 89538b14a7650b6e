/** What somebody else knows of objects, by their path. */
export interface ObjectCare {
  /** Calls `remove`, unless something needs the object. */
  remove(path: string, remove: () => Promise<boolean>): Promise<'kept' | 'removed' | 'absent'>;
  /** Whether bytes are those of the name. */
  content(path: string, bytes: Buffer): Promise<'right' | 'wrong' | 'unknown'>;
  /** Whether somebody found the object wrong. */
  isSuspect(path: string): Promise<boolean>;
  /** An upload was stored, or was there already. @param isRight looks whether what a download gives now isn't wrong */
  stored(path: string, isRight: () => Promise<boolean>): Promise<void>;
  /** A download found nothing. */
  missing(path: string): void;
}

/** For a store that nobody keeps tables of. */
export const NO_CARE: ObjectCare = {
  remove: async (_path, remove) => ((await remove()) ? 'removed' : 'absent'),
  content: async () => 'unknown',
  isSuspect: async () => false,
  stored: async () => undefined,
  missing: () => undefined,
};
