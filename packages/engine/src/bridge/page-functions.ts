/** The page's part of `update` and `transact`: their functions can't be sent to the worker. */
import { FixpointError } from '@fixpoint/protocol';
import type { Database, Transaction } from '../database/database.ts';
import type { RunChange, RunWork, WithinCall } from './messages.ts';

type Writes = Pick<Database, 'update' | 'transact'>;

/** @param call calls a method of the database in the worker */
export function writesInPage(call: (verb: string, args: unknown[]) => Promise<unknown>): Writes {
  return {
    update: (id, change) => {
      const run: RunChange = async (before) => [change(before as never)];
      return runs(change, run, (own) => call('update', [id, own])) as Promise<never>;
    },
    transact: async <R>(work: (transaction: Transaction) => Promise<R> | R) => {
      let result: R | undefined;
      const run: RunWork = async (number, head, tail) => {
        let isOver = false;
        const within = (...args: WithinCall) => {
          if (isOver) throw new FixpointError('REQUEST_INVALID', 'the transaction is over');
          return call('within', [number, ...args]);
        };
        // If the worker rejects a write, it rejects the transaction.
        const write = (...args: WithinCall) => {
          within(...args).catch(() => undefined);
          return { id: args[1] };
        };
        try {
          result = await work({
            get: async (id) => within('get', id) as Promise<never>,
            put: (doc) => write('put', idOf(doc) || head + (tail++).toString(16), doc),
            del: (id) => write('del', id),
          });
        } finally {
          isOver = true;
        }
      };
      await runs(work, run, (own) => call('transact', [own]));
      return result as R;
    },
  };
}

/**
 * Sends a call with a function that the worker runs in the page, once or several times. Rejects
 * with the error that the function threw: its class would be lost in the worker.
 */
async function runs<F extends (...args: never[]) => Promise<unknown>>(
  given: unknown,
  run: F,
  call: (own: unknown) => Promise<unknown>,
): Promise<unknown> {
  let thrown: { readonly cause: unknown } | undefined;
  const own = async (...args: Parameters<F>) => {
    thrown = undefined;
    try {
      return await run(...args);
    } catch (cause) {
      thrown = { cause };
      throw cause;
    }
  };
  try {
    // The worker rejects what isn't a function.
    return await call(typeof given === 'function' ? own : given);
  } catch (cause) {
    throw thrown === undefined ? cause : thrown.cause;
  }
}

const idOf = (doc: unknown) => (doc as { readonly _id?: string } | null)?._id;
