/**
 * Lets the code that serves objects ask other parts of the server about an object, and notify them.
 * A path identifies an object.
 */
export interface ObjectCare {
  /**
   * Asks whether the ledger may store this many bytes more. Call `end` when the upload has ended
   * and is counted.
   */
  admit(path: string, bytes: number): Promise<Admission>;
  /**
   * Called after bytes were stored, and when the same bytes were already present.
   * @param isNew whether the store has more bytes than before
   */
  counted(path: string, bytes: number, isNew: boolean): Promise<void>;
  /** Called with the bytes of each upload and download. */
  transferred(path: string, direction: 'up' | 'down', bytes: number): void;
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

/** The answer to {@link ObjectCare.admit}. */
export interface Admission {
  /** Why the server doesn't store the upload; undefined if it does. */
  readonly refused: string | undefined;
  /** The counted bytes of the object before the upload. */
  readonly countedBytes: number;
  end(): void;
}

/** Used when there are no tables: allows each removal, and knows nothing about contents. */
export const NO_CARE: ObjectCare = {
  admit: async () => ({ refused: undefined, countedBytes: 0, end: () => undefined }),
  counted: async () => undefined,
  transferred: () => undefined,
  remove: async (_path, remove) => ((await remove()) ? 'removed' : 'absent'),
  content: async () => 'unknown',
  isSuspect: async () => false,
  stored: async () => undefined,
  missing: () => undefined,
};
