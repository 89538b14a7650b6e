import { FixpointError } from '@fixpoint/protocol';
import {
  type QuickJSContext,
  type QuickJSHandle,
  type QuickJSRuntime,
  type QuickJSWASMModule,
  Scope,
} from 'quickjs-emscripten-core';
import type { SandboxLimits } from '../../ports/sandbox.ts';
import { PRELUDE } from './prelude.ts';

/** A map function in its own context. */
export interface QuickJsMap {
  /**
   * Takes JSON of documents and returns JSON of rows (see prelude.ts), which the caller must check.
   * @throws FixpointError MAP_FAILED
   */
  run(documentsJson: string): string;
  close(): void;
}

/**
 * Opens a map function from its text.
 * @throws FixpointError MAP_FAILED when the text isn't a function; after any other error, the
 * module must not be used again
 */
export function openQuickJsMap(
  module: QuickJSWASMModule,
  source: string,
  limits: SandboxLimits,
  now: () => number,
): QuickJsMap {
  const runtime = module.newRuntime({
    memoryLimitBytes: limits.memoryBytes,
    maxStackSizeBytes: limits.stackBytes,
  });
  const watch = watchTime(runtime, limits, now);
  const context = runtime.newContext();
  const held = new Scope();
  const close = () => {
    held.dispose();
    context.dispose();
    runtime.dispose();
  };
  try {
    const text = `(${source.trim().replace(/;+$/, '')}\n)`;
    const install = held.manage(evaluate(context, PRELUDE, 'prelude'));
    const map = held.manage(watch(() => evaluate(context, text, 'map')));
    const bounds = [context.newNumber(limits.rowsMax), context.newNumber(limits.outputMax)];
    const run = held.manage(call(context, install, [map, ...bounds]));
    if (context.typeof(run) !== 'function') throw failure(context.getString(run).slice(1));
    return { run: (json) => watch(() => runBatch(context, run, json)), close };
  } catch (cause) {
    if (cause instanceof FixpointError) close();
    throw cause;
  }
}

function runBatch(context: QuickJSContext, run: QuickJSHandle, json: string): string {
  return Scope.withScope((scope) => {
    const documents = scope.manage(context.newString(json));
    const answer = context.getString(scope.manage(call(context, run, [documents])));
    if (!answer.startsWith('+')) throw failure(answer.slice(1));
    return answer.slice(1);
  });
}

const failure = (message: string): FixpointError => new FixpointError('MAP_FAILED', message);

type Watch = <T>(work: () => T) => T;

/**
 * Interrupts a batch that exceeds the limit for one batch, or what is left of the limit for all
 * batches.
 */
function watchTime(runtime: QuickJSRuntime, { batchMs, queryMs }: SandboxLimits, now: () => number): Watch {
  let spentMs = 0;
  let deadline = Number.POSITIVE_INFINITY;
  runtime.setInterruptHandler(() => now() > deadline);
  return (work) => {
    const started = now();
    deadline = started + Math.min(batchMs, queryMs - spentMs);
    try {
      return work();
    } catch (cause) {
      if (!(cause instanceof FixpointError) || now() <= deadline) throw cause;
      throw new FixpointError(
        'MAP_FAILED',
        `stopped after ${Math.max(0, Math.round(deadline - started))} ms`,
        { cause },
      );
    } finally {
      spentMs += now() - started;
    }
  };
}

function evaluate(context: QuickJSContext, text: string, name: string): QuickJSHandle {
  return valueOrThrow(context, context.evalCode(text, name));
}

function call(context: QuickJSContext, fn: QuickJSHandle, args: QuickJSHandle[]): QuickJSHandle {
  return valueOrThrow(context, context.callFunction(fn, context.undefined, args));
}

type Result = ReturnType<QuickJSContext['evalCode']>;

function valueOrThrow(context: QuickJSContext, result: Result): QuickJSHandle {
  if (result.error === undefined) return result.value;
  const dumped: unknown = context.dump(result.error);
  result.error.dispose();
  throw failure(messageOf(dumped));
}

function messageOf(dumped: unknown): string {
  if (typeof dumped !== 'object' || dumped === null) return String(dumped);
  const { message, name } = dumped as { message?: unknown; name?: unknown };
  return typeof message === 'string' && message !== '' ? message : String(name ?? 'unknown error');
}
