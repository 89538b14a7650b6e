/** Calls of a page and their answers, and the functions and signals that went with them. */
import { FixpointError } from '@fixpoint/protocol';
import type { Head } from '../clock/event.ts';
import { type BridgePort, lineOver } from './line.ts';
import type { PageMarks, ToPage, ToWorker } from './messages.ts';
import { type PackParts, pack, type UnpackParts, unpack } from './values.ts';

export interface Session {
  /** Gives the number of a database. */
  open(name: string, options: object, showHead: (head: Head) => void): number;
  call(on: number, verb: string, args: unknown[], as?: number): Promise<unknown>;
  /** Gives what ends it. Whoever ends it hears nothing more. */
  listen(on: number, verb: string, args: unknown[]): () => void;
  stream(on: number, verb: string, args: unknown[]): AsyncGenerator<unknown, void>;
  /** A number for what a call leaves in the worker. */
  newNumber(): number;
  end(reason: string): void;
  onEnd(fn: (reason: FixpointError) => void): () => void;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (cause: unknown) => void;
}

type Fn = (...args: unknown[]) => unknown;

/** What went with a call and ends with it. */
interface Sent {
  readonly args: unknown;
  end(): void;
}

export function openSession(port: BridgePort, marks: PageMarks): Session {
  const waiting = new Map<number, Waiting>();
  /**
   * With the number of the database that each was given to: what it is called with is of that one.
   */
  const functions = new Map<number, { readonly fn: Fn; readonly on: number }>();
  const heads = new Map<number, (head: Head) => void>();
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
    for (const tell of onEnd) tell(lost);
  }

  const noFunctions: PackParts = { fn: () => 0, signal: () => 0 };

  async function answerFor(id: number, asked: number, args: unknown): Promise<void> {
    let [value, failed]: [unknown, boolean] = [undefined, false];
    try {
      const { fn, on = 0 } = functions.get(asked) ?? {};
      value = await fn?.(...(unpack(args, parts(on)) as unknown[]));
    } catch (cause) {
      [value, failed] = [cause, true];
    }
    post({ do: 'answer', id, value: pack(value, noFunctions), failed });
  }

  function receive(message: ToPage): void {
    switch (message.do) {
      case 'answer': {
        const { id, value, failed } = message;
        const { resolve, reject } = waiting.get(id) ?? {};
        waiting.delete(id);
        if (failed) reject?.(unpack(value, parts(0)));
        else resolve?.(value);
        return;
      }
      case 'ask':
        return void answerFor(message.id, message.fn, message.args);
      case 'head':
        heads.get(message.on)?.(message.head);
        return;
      case 'mark':
        marks.mark(message.storageName, message.isWritten);
    }
  }

  /** For answers about the database with this number. */
  const parts = (on: number): UnpackParts => ({
    fn: () => () => Promise.resolve(),
    signal: () => AbortSignal.abort(),
    file: (name, entry) => call(on, 'file', [name, entry]) as Promise<File>,
  });

  /**
   * @param on the number of the database
   * @param onAbort is told the reason of a signal among the arguments
   */
  function send(on: number, args: unknown[], onAbort: (reason: unknown) => void): Sent {
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

  function ask(on: number, verb: string, args: unknown, as: number | undefined, of = on): Promise<unknown> {
    if (lost !== undefined) return Promise.reject(lost);
    return new Promise((resolve, reject) => {
      const id = newNumber();
      waiting.set(id, { resolve: (value) => resolve(unpack(value, parts(of))), reject });
      post({ do: 'call', id, on, verb, args, as });
    });
  }

  async function call(on: number, verb: string, args: unknown[], as?: number): Promise<unknown> {
    let aborted: (reason: unknown) => void = () => undefined;
    const sent = send(on, args, (reason) => aborted(reason));
    try {
      return await new Promise((resolve, reject) => {
        aborted = reject;
        ask(on, verb, sent.args, as).then(resolve, reject);
      });
    } finally {
      // The functions of what stays in the worker are called as long as it lives.
      if (as === undefined) sent.end();
    }
  }

  return {
    newNumber,
    end,
    call,
    onEnd: (fn) => {
      onEnd.add(fn);
      return () => void onEnd.delete(fn);
    },
    open: (name, options, showHead) => {
      const as = newNumber();
      heads.set(as, showHead);
      post({ do: 'open', as, name, options, isWritten: marks.isWritten(name) });
      return as;
    },
    listen: (on, verb, args) => {
      const as = newNumber();
      const sent = send(on, args, () => undefined);
      ask(on, verb, sent.args, as).catch(() => undefined);
      return () => {
        sent.end();
        ask(as, 'stop', [], undefined).catch(() => undefined);
        post({ do: 'drop', on: as });
      };
    },
    async *stream(on, verb, args) {
      const as = newNumber();
      let aborted: { reason: unknown } | undefined;
      let wake: (reason: unknown) => void = () => undefined;
      const sent = send(on, args, (reason) => {
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
        ask(as, 'return', [], undefined).catch(() => undefined);
        post({ do: 'drop', on: as });
      }
    },
  };
}
