/** Compares two databases: documents that only one has, and those that differ. */
import type { DocumentChange, Stored } from 'fixpoint';
import type { BridgedDatabase } from 'fixpoint/bridge';
import { type Fields, sameFields } from '../../../values/document-fields.ts';

export interface Comparison {
  /** The first differences by id, at most {@link SHOWN_MAX}. */
  readonly changes: readonly DocumentChange[];
  readonly differing: number;
  /** How many of these only the first database has, and how many only the other one. */
  readonly onlyBefore: number;
  readonly onlyAfter: number;
  readonly same: number;
}

export interface CompareOptions {
  readonly signal: AbortSignal;
  /** Receives the number of documents read from both databases. */
  readonly onProgress?: (documents: number) => void;
}

type Scanned = { readonly rows: Pick<BridgedDatabase['rows'], 'scan'> };

export const SHOWN_MAX = 1000;
const BATCH = 500;

/**
 * Compares both databases in the order of ids, with one batch of each in memory.
 * @throws FixpointError; the reason of the signal
 */
export async function compareDatabases(
  before: Scanned,
  after: Scanned,
  { signal, onProgress }: CompareOptions,
): Promise<Comparison> {
  const changes: DocumentChange[] = [];
  let [differing, same, read] = [0, 0, 0];
  let [onlyBefore, onlyAfter] = [0, 0];
  const count = (documents: number) => {
    read += documents;
    onProgress?.(read);
  };
  const [left, right] = [cursor(before, signal, count), cursor(after, signal, count)];
  const note = (id: string, was: Stored | undefined, is: Stored | undefined) => {
    if (was !== undefined && is !== undefined && sameFields(contentOf(was), contentOf(is))) {
      same += 1;
      return;
    }
    differing += 1;
    onlyBefore += Number(is === undefined);
    onlyAfter += Number(was === undefined);
    if (changes.length < SHOWN_MAX)
      changes.push({ id, ...(was && { before: was }), ...(is && { after: is }) });
  };
  let [a, b] = [await left.next(), await right.next()];
  while (a !== undefined || b !== undefined) {
    if (b === undefined || (a !== undefined && a._id < b._id)) {
      note((a as Stored)._id, a, undefined);
      a = await left.next();
    } else if (a === undefined || b._id < a._id) {
      note(b._id, undefined, b);
      b = await right.next();
    } else {
      note(a._id, a, b);
      [a, b] = [await left.next(), await right.next()];
    }
  }
  return { changes, differing, onlyBefore, onlyAfter, same };
}

const FILE_MAPS = ['_files', '_publicFiles'];

/** Returns the document without the locations of its files, which differ between databases. */
function contentOf(doc: Stored): Fields {
  if (!FILE_MAPS.some((map) => map in doc)) return doc;
  return Object.fromEntries(
    Object.entries(doc).map(([name, value]) => [
      name,
      FILE_MAPS.includes(name) ? withoutPlaces(value) : value,
    ]),
  );
}

function withoutPlaces(files: unknown): unknown {
  if (typeof files !== 'object' || files === null) return files;
  return Object.fromEntries(
    Object.entries(files).map(([name, entry]) => [name, { ...(entry as object), car: undefined }]),
  );
}

/** Reads one document at a time; returns undefined at the end. */
function cursor({ rows }: Scanned, signal: AbortSignal, onBatch: (documents: number) => void) {
  const batches = rows.scan({ batch: BATCH, signal })[Symbol.asyncIterator]();
  let batch: readonly Stored[] = [];
  let at = 0;
  return {
    next: async (): Promise<Stored | undefined> => {
      while (at >= batch.length) {
        const { done, value } = await batches.next();
        if (done === true) return undefined;
        batch = value;
        at = 0;
        onBatch(batch.length);
      }
      at += 1;
      return batch[at - 1];
    },
  };
}
