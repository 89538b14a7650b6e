import type { Pace } from '../base/pace.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import type { Indexes } from '../index/indexes.ts';
import type { Place } from './cursor.ts';

export interface FindParts {
  readonly readers: Readers;
  readonly indexes: Pick<Indexes, 'declared' | 'readDeclared'>;
  readonly pace: Pace;
}

/** Places of documents, all from one snapshot. */
export interface Places {
  readonly places: readonly Place[];
  readonly snapshot: Snapshot;
}
