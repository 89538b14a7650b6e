import { savedQueriesName } from '@fixpoint/protocol';
import type { Database } from 'fixpoint';
import { openLocal } from './databases.ts';

export interface SavedQuery {
  readonly _id: string;
  readonly name: string;
  readonly source: string;
}

export const DEFAULT_MAP = '(doc, emit) => {\n  emit(doc._id, doc);\n}';

export const savedQueriesOf = (database: string): Database => openLocal(savedQueriesName(database));

/** A saved query without a name of its own is called by its number, from 1. */
export const labelOf = ({ name }: Partial<SavedQuery>, at: number): string => name || `Query ${at + 1}`;
