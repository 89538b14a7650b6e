/** The end of the bridge in the worker: the engine, for a page that holds the other end. */
import { FixpointError } from '@fixpoint/protocol';
import type { Database } from '../database/database.ts';
import type { DatabaseOptions } from '../database/open.ts';
import { type BridgePort, lineOver } from './line.ts';
import type { ToPage, ToWorker, WorkerMarks } from './messages.ts';
import { databaseThing, type Thing } from './things.ts';
import { type PackParts, pack, type UnpackParts, unpack } from './values.ts';

/** Neither functions nor signals go to the page. */
const FOR_PAGE: PackParts = { fn: () => 0, signal: () => 0, areOwn: true };
const packForPage = (value: unknown): unknown => pack(value, FOR_PAGE);

/** Opens a database in the worker. */
export type OpenInWorker = (name: string, options: DatabaseOptions) => Database;

export function serveWith(port: BridgePort, open: OpenInWorker, marks: WorkerMarks): void {
  const things = new Map<number, Thing>();
  const signals = new Map<number, AbortController>();
  const asked = new Map<number, (answer: { value: unknown; failed: boolean }) => void>();
  let asks = 0;

  const line = lineOver(port, {
    onMessage: (message) => receive(message as ToWorker),
    onEnd: () => undefined,
  });
  const post = (message: ToPage) => line.post(message);
  const learnMark = marks((storageName, isWritten) => post({ do: 'mark', storageName, isWritten }));

  const parts: UnpackParts = {
    fn:
      (fn) =>
      (...args) => {
        const answer = new Promise<unknown>((resolve, reject) => {
          asks += 1;
          asked.set(asks, ({ value, failed }) => {
            if (failed) reject(value);
            else resolve(value);
          });
          post({ do: 'ask', id: asks, fn, args: packForPage(args) });
        });
        // Who does not wait for the answer is not told of a failure either.
        answer.catch(() => undefined);
        return answer;
      },
    signal: (id) => {
      const controller = signals.get(id) ?? new AbortController();
      signals.set(id, controller);
      return controller.signal;
    },
    file: () => Promise.reject(new FixpointError('NOT_IMPLEMENTED')),
  };

  function answer(id: number, value: unknown, failed: boolean): void {
    post({ do: 'answer', id, value: packForPage(value), failed });
  }

  /** Calls are begun in the order in which they came, before anything is awaited. */
  function call({ id, on, verb, args, as }: Extract<ToWorker, { do: 'call' }>): void {
    const thing = things.get(on);
    const done = (result: unknown): void => {
      if (as !== undefined) things.set(as, result as Thing);
      thing?.beforeAnswer?.();
      answer(id, as === undefined ? result : undefined, false);
    };
    const failed = (cause: unknown) =>
      answer(id, cause instanceof Error ? cause : new Error(String(cause)), true);
    try {
      if (thing === undefined) throw new FixpointError('DATABASE_CLOSED');
      const result = thing.call(verb, unpack(args, parts) as unknown[]);
      if (result instanceof Promise) result.then(done, failed);
      else done(result);
    } catch (cause) {
      failed(cause);
    }
  }

  /** What cannot be opened says why at each call; the databases beside it go on. */
  function opened({ as, name, options, isWritten }: Extract<ToWorker, { do: 'open' }>): Thing {
    try {
      learnMark(name, isWritten);
      return databaseThing(open(name, options as DatabaseOptions), (head) =>
        post({ do: 'head', on: as, head }),
      );
    } catch (cause) {
      return { call: () => Promise.reject(cause) };
    }
  }

  function receive(message: ToWorker): void {
    switch (message.do) {
      case 'open':
        return void things.set(message.as, opened(message));
      case 'call':
        call(message);
        return;
      case 'drop':
        return void things.delete(message.on);
      case 'abort':
        signals.get(message.signal)?.abort();
        return void signals.delete(message.signal);
      case 'answer':
        asked.get(message.id)?.({ value: unpack(message.value, parts), failed: message.failed });
        return void asked.delete(message.id);
    }
  }
}
