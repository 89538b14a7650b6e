/**
 * Lets the code that serves objects ask other parts of the server about an object, and notify them.
 * A path identifies an object.
 */
export interface ObjectCare {
  /** Calls `remove` unless something needs the object. */
  remove(path: string, remove: () => Promise<boolean>): Promise<'kept' | 'removed' | 'absent'>;
  /** Returns whether the bytes match the name. */
  content(path: string, bytes: Buffer): Promise<'right' | 'wrong' | 'unknown'>;
  /** Returns whether the object was reported as wrong. */
  isSuspect(path: string): Promise<boolean>;
  /**
   * Called after an upload was stored, or when the same bytes were already present.
   * @param isRight checks that a download now returns the right bytes
   */
  stored(path: string, isRight: () => Promise<boolean>): Promise<void>;
  /** Called when a download found nothing. */
  missing(path: string): void;
}

/** Used when there are no tables: allows each removal, and knows nothing about contents. */
export const NO_CARE: ObjectCare = {
  remove: async (_path, remove) => ((await remove()) ? 'removed' : 'absent'),
  content: async () => 'unknown',
  isSuspect: async () => false,
  stored: async () => undefined,
  missing: () => undefined,
};
