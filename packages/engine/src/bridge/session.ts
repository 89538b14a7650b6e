/** Sends a page's calls to the worker, with the functions and signals among their arguments. */
import { FixpointError } from '@fixpoint/protocol';
import { type BridgePort, lineOver } from './line.ts';
import type { PageMarks, ToPage, ToWorker } from './messages.ts';
import { type PackParts, pack, type UnpackParts, unpack } from './values.ts';

export interface Session {
  /** Opens a database. Returns its number. */
  open(name: string, options: object): number;
  call(on: number, verb: string, args: unknown[], as?: number): Promise<unknown>;
  /**
   * Subscribes a listener. Returns a function that unsubscribes; afterwards the listener isn't
   * called.
   */
  listen(on: number, verb: string, args: unknown[]): () => void;
  stream(on: number, verb: string, args: unknown[]): AsyncGenerator<unknown, void>;
  /** Returns a number for an object that a call creates in the worker. */
  newNumber(): number;
  /** Forgets an object in the worker. */
  drop(on: number): void;
  end(reason: string): void;
  onEnd(fn: (reason: FixpointError) => void): () => void;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

type Fn = (...args: unknown[]) => unknown;

/** Arguments of a call, with the functions and signals that live as long as the call. */
interface Sent {
  readonly args: unknown;
  end(): void;
}

/** The parts of a session that a call uses. */
interface CallParts {
  readonly post: (message: ToWorker) => void;
  readonly newNumber: () => number;
  /**
   * Functions of the page, each with the number of the database that it was passed to. Files among
   * the function's arguments are read from that database.
   */
  readonly functions: Map<number, { readonly fn: Fn; readonly on: number }>;
  /** @param of the number of the database that the answer is about */
  readonly ask: (on: number, verb: string, args: unknown, as?: number, of?: number) => Promise<unknown>;
}

const NO_FUNCTIONS: PackParts = { fn: () => 0, signal: () => 0 };

export function openSession(port: BridgePort, marks: PageMarks): Session {
  const waiting = new Map<number, Waiting>();
  const functions: CallParts['functions'] = new Map();
  const onEnd = new Set<(reason: FixpointError) => void>();
  let numbers = 0;
  let lost: FixpointError | undefined;

  const newNumber = () => ++numbers;
  const line = lineOver(port, { onMessage: (message) => receive(message as ToPage), onEnd: end });

  function post(message: ToWorker): void {
    if (lost === undefined) line.post(message);
  }

  function end(reason: string): void {
    if (lost !== undefined) return;
    lost = new FixpointError('WORKER_LOST', reason);
    for (const { reject } of waiting.values()) reject(lost);
    waiting.clear();
    let failure: unknown;
    for (const tell of onEnd)
      try {
        tell(lost);
      } catch (cause) {
        // The other listeners must hear it, too.
        failure ??= cause;
      }
    if (failure !== undefined) throw failure;
  }

  /** Returns the functions that unpack answers about the database with this number. */
  const partsOf = (on: number): UnpackParts => ({
    file: (name, entry) => calls.call(on, 'file', [name, entry]) as Promise<File>,
  });

  const ask: CallParts['ask'] = (on, verb, args, as, of = on) => {
    if (lost !== undefined) return Promise.reject(lost);
    return new Promise((resolve, reject) => {
      const id = newNumber();
      waiting.set(id, { resolve: (value) => resolve(unpack(value, partsOf(of))), reject });
      post({ do: 'call', id, on, verb, args, as });
    });
  };

  function settle({ id, value, failed }: Extract<ToPage, { do: 'answer' }>): void {
    const { resolve, reject } = waiting.get(id) ?? {};
    waiting.delete(id);
    if (failed) reject?.(unpack(value, partsOf(0)));
    else resolve?.(value);
  }

  function receive(message: ToPage): void {
    if (message.do === 'answer') settle(message);
    else if (message.do === 'ask') void runFunction(message, functions, partsOf).then(post);
    else if (message.do === 'mark') marks.mark(message.storageName, message.isWritten);
  }

  const calls = createCalls({ post, newNumber, functions, ask });
  return {
    newNumber,
    end,
    drop: (on) => post({ do: 'drop', on }),
    ...calls,
    onEnd: (fn) => {
      onEnd.add(fn);
      return () => void onEnd.delete(fn);
    },
    open: (name, options) => {
      const as = newNumber();
      post({ do: 'open', as, name, options, isWritten: marks.isWritten(name) });
      return as;
    },
  };
}

/** Calls a function of the page for the worker. Returns the message with its result. */
async function runFunction(
  { id, fn: asked, args }: Extract<ToPage, { do: 'ask' }>,
  functions: CallParts['functions'],
  partsOf: (on: number) => UnpackParts,
): Promise<ToWorker> {
  let [value, failed]: [unknown, boolean] = [undefined, false];
  try {
    const { fn, on = 0 } = functions.get(asked) ?? {};
    value = await fn?.(...(unpack(args, partsOf(on)) as unknown[]));
  } catch (cause) {
    [value, failed] = [cause, true];
  }
  return { do: 'answer', id, value: pack(value, NO_FUNCTIONS), failed };
}

function createCalls(parts: CallParts): Pick<Session, 'call' | 'listen' | 'stream'> {
  const { post, newNumber, ask } = parts;
  return {
    call: async (on, verb, args, as) => {
      let aborted: (reason: unknown) => void = () => undefined;
      const sent = packArguments(parts, on, args, (reason) => aborted(reason));
      try {
        return await new Promise((resolve, reject) => {
          aborted = reject;
          ask(on, verb, sent.args, as).then(resolve, reject);
        });
      } finally {
        // An object that stays in the worker may call these functions as long as it exists, so they
        // stay registered.
        if (as === undefined) sent.end();
      }
    },
    listen: (on, verb, args) => {
      const as = newNumber();
      const sent = packArguments(parts, on, args, () => undefined);
      ask(on, verb, sent.args, as).catch(() => undefined);
      return () => {
        sent.end();
        ask(as, 'stop', []).catch(() => undefined);
        post({ do: 'drop', on: as });
      };
    },
    async *stream(on, verb, args) {
      const as = newNumber();
      let aborted: { reason: unknown } | undefined;
      let wake: (reason: unknown) => void = () => undefined;
      const sent = packArguments(parts, on, args, (reason) => {
        aborted = { reason };
        wake(reason);
      });
      try {
        await ask(on, verb, sent.args, as);
        for (;;) {
          if (aborted !== undefined) throw aborted.reason;
          const step = await new Promise<unknown>((resolve, reject) => {
            wake = reject;
            ask(as, 'next', [], undefined, on).then(resolve, reject);
          });
          const { done, value } = step as IteratorResult<unknown>;
          if (done) return;
          yield value;
        }
      } finally {
        sent.end();
        ask(as, 'return', []).catch(() => undefined);
        post({ do: 'drop', on: as });
      }
    },
  };
}

/**
 * Packs the arguments of a call.
 * @param on the number of the database
 * @param onAbort receives the reason of a signal among the arguments
 */
function packArguments(
  { functions, newNumber, post }: CallParts,
  on: number,
  args: unknown[],
  onAbort: (reason: unknown) => void,
): Sent {
  const ends: (() => void)[] = [];
  const packed = pack(args, {
    fn: (fn) => {
      const id = newNumber();
      functions.set(id, { fn: fn as Fn, on });
      ends.push(() => functions.delete(id));
      return id;
    },
    signal: (signal) => {
      signal.throwIfAborted();
      const id = newNumber();
      const abort = () => {
        post({ do: 'abort', signal: id });
        onAbort(signal.reason);
      };
      signal.addEventListener('abort', abort);
      ends.push(() => signal.removeEventListener('abort', abort));
      return id;
    },
  });
  return { args: packed, end: () => ends.forEach((one) => void one()) };
}
