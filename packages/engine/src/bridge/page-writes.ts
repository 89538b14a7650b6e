/** The worker's part of `update` and `transact`, whose functions run in the page. */
import { FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Database, Transaction } from '../database/database.ts';
import { insideOf } from '../database/inside.ts';
import { saysDeleted } from '../documents/encode.ts';
import { isPlain } from '../documents/sanitise.ts';
import type { RunChange, RunWork, WithinCall } from './messages.ts';
import type { PageEnd } from './page-end.ts';

/** A run of a transaction's function. */
interface Run {
  readonly transaction: Transaction;
  /** The first write that the database rejected. */
  failure?: { readonly cause: unknown };
}

/** Hexadecimal digits in front of the part of an id that a page counts up. */
const HEAD_DIGITS = 24;
const TAIL_MIN = 16 ** 11;

/** @param pageEnd ends transactions, which would otherwise keep their version forever */
export function pageWrites(database: Database, pageEnd: PageEnd) {
  const runs = new Map<number, Run>();
  const last = new Map<string, Promise<unknown>>();
  let count = 0;

  /**
   * Updates one document at a time. Otherwise the updates of one page would overtake each other
   * until some of them give up.
   */
  const inTurn = <R>(id: string, work: () => Promise<R>): Promise<R> => {
    const own = (last.get(id) ?? Promise.resolve()).then(work);
    const settled = own.then(
      () => undefined,
      () => undefined,
    );
    last.set(id, settled);
    void settled.then(() => last.get(id) === settled && last.delete(id));
    return own;
  };

  return {
    update: async (id: string, change: RunChange) => {
      if (typeof change !== 'function') throw new FixpointError('DOC_INVALID', 'update takes a function');
      const work = (transaction: Transaction) => changeIn(transaction, id, change, pageEnd);
      const inside = insideOf(database);
      await inTurn(id, () => inside?.transact(work, false) ?? database.transact(work));
      return { id };
    },
    transact: (work: RunWork) => {
      if (typeof work !== 'function') throw new FixpointError('DOC_INVALID', 'transact takes a function');
      return database.transact(async (transaction) => {
        count += 1;
        const number = count;
        const [head, tail] = idsFrom(database);
        const run: Run = { transaction };
        runs.set(number, run);
        try {
          await pageEnd.before(() => work(number, head, tail));
        } finally {
          runs.delete(number);
        }
        // The page can't notice the failure while its function runs.
        if (run.failure !== undefined) throw run.failure.cause;
      });
    },
    within: (number: number, ...[verb, id, doc]: WithinCall) => {
      const run = runs.get(number);
      if (run === undefined) throw new FixpointError('REQUEST_INVALID', 'the transaction is over');
      const { transaction } = run;
      if (verb === 'get') return transaction.get(id);
      try {
        return verb === 'del' ? transaction.del(id) : transaction.put(withId(doc, id));
      } catch (cause) {
        run.failure ??= { cause };
        throw cause;
      }
    },
  };
}

async function changeIn(
  transaction: Transaction,
  id: string,
  change: RunChange,
  pageEnd: PageEnd,
): Promise<void> {
  const before = await transaction.get(id).catch((cause) => {
    if (isFixpointError(cause, 'NOT_FOUND')) return undefined;
    throw cause;
  });
  const [after] = await pageEnd.before(() => change(before));
  if (after === undefined) return;
  if (!isDocument(after)) throw new FixpointError('DOC_INVALID', 'the function returned no document');
  transaction.put({ ...after, _id: id });
}

const isDocument = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && isPlain(value);

/** Leaves anything but a document as it is, because the database rejects it. */
const withId = (doc: unknown, _id: string): object =>
  isDocument(doc) && !saysDeleted(doc) ? { ...doc, _id } : (doc as object);

/**
 * Returns the start of new ids and the number at their end, which the page counts up. The number
 * always has 12 digits, so the ids sort in the order of their creation.
 */
function idsFrom(database: Database): [head: string, tail: number] {
  const id = insideOf(database)?.newId();
  if (id === undefined) throw new FixpointError('NOT_IMPLEMENTED', 'transact of a foreign handle');
  return [id.slice(0, HEAD_DIGITS), (Number.parseInt(id.slice(HEAD_DIGITS), 16) % TAIL_MIN) + TAIL_MIN];
}
