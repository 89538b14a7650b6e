/** Documents with concurrent writes, as callers see them. */
import type { Doc } from '../../documents/encode.ts';
import type { DocumentVersion } from './history.ts';

/** Concurrent writes of one document. */
export interface DocumentConflicts<T extends object = Doc> {
  /**
   * The current document: the concurrent write that the clock replays last. All replicas compute
   * the same winner.
   */
  readonly winner: DocumentVersion<T>;
  /** The other versions. Writing the document resolves the conflict. */
  readonly losers: readonly DocumentVersion<T>[];
  /**
   * Events that can't be read, and may have written more versions, or replaced some of these.
   * Absent if there are none.
   */
  readonly unread?: readonly string[];
}

/** A document with concurrent writes. */
export interface ConflictingDocument<T extends object = Doc> extends DocumentConflicts<T> {
  readonly id: string;
}

/** The documents with a conflict, as far as events can be read. */
export interface ConflictList<T extends object = Doc> {
  /** The documents that are known to have a conflict, sorted by id. */
  readonly conflicts: readonly ConflictingDocument<T>[];
  /**
   * The events that can't be read. Documents that nobody has written since may have a conflict that
   * isn't listed; {@link Conflicts.conflicts} with their ids says which ones. Empty if all events
   * can be read.
   */
  readonly unread: readonly string[];
}

/** A document with concurrent writes, without its versions. */
export interface ConflictEvents {
  readonly id: string;
  /**
   * The events that wrote the versions, the current one first. Empty if fewer than two versions can
   * be read, or if an event can't be read that may have written one.
   */
  readonly events: readonly string[];
}

/** Finds documents with concurrent writes that no later write replaced. */
export interface Conflicts {
  /**
   * Returns all documents with a conflict, sorted by id. The first call reads the whole history of
   * events. Later calls check only documents that were written since, and read only documents with
   * a conflict. Rejects if an event can't be read, because the list would be incomplete.
   * @throws FixpointError MISSING_BLOCK, CORRUPT
   */
  conflicts<T extends object = Doc>(): Promise<readonly ConflictingDocument<T>[]>;
  /**
   * Like the call without options, but returns the conflicts that are known if an event can't be
   * read.
   * @throws the reason with which `signal` was aborted
   */
  conflicts<T extends object = Doc>(options: PartialOptions): Promise<ConflictList<T>>;
  /**
   * Returns those of these documents that have a conflict, in the order of the ids. If it can't be
   * determined, or fewer than two versions can be read, the document is listed without events.
   * @throws FixpointError DOC_ID_REQUIRED, KEY_INVALID, STORE_FULL, STORE_FAILED; the reason with
   * which `signal` was aborted
   */
  conflicts(ids: readonly string[], options?: ConflictsOptions): Promise<readonly ConflictEvents[]>;
  /**
   * Returns the concurrent writes of a document that no later write replaced. Returns undefined
   * when there is at most one such write. Rejects if an event can't be read without which this
   * can't be determined.
   * @throws FixpointError as {@link History.history}
   */
  conflicts<T extends object = Doc>(id: string): Promise<DocumentConflicts<T> | undefined>;
  /**
   * Calls `listener` with all documents that have a conflict, sorted by id: once as soon as they
   * are known, and again whenever a conflict begins, changes or ends. Returns a function that
   * unsubscribes. `unread` contains the events that can't be read, see {@link ConflictList}. If
   * conflicts can't be read for another reason, the error is reported, and the next change of the
   * database causes another try.
   * @throws FixpointError REQUEST_INVALID when `listener` isn't a function
   */
  onConflicts(
    listener: (conflicts: readonly ConflictingDocument[], unread: readonly string[]) => void,
  ): () => void;
}

/** Options of a search for conflicts. */
export interface ConflictsOptions {
  /** Cancels the call, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Options of a list of conflicts that may be incomplete. */
export interface PartialOptions extends ConflictsOptions {
  /** Returns what is known instead of rejecting if an event can't be read. */
  readonly partial: true;
}
