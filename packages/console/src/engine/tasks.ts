/**
 * Long tasks of the worker: summaries of all documents, new indexes, and calls of other servers,
 * which pages may not call themselves.
 */
import { type ErrorCode, FixpointError, isFixpointError } from '@fixpoint/protocol';
import type { Database, IndexDeclaration, KnownIndex } from 'fixpoint';
import type { Rows } from 'fixpoint/rows';
import { errorOf } from './asking.ts';
import { DocumentsSummarizer, type DocumentsSummary } from './field-summary.ts';

/** A summary, and how many documents there are. */
export interface Summary extends DocumentsSummary {
  /** Undefined until it is known. */
  readonly total: number | undefined;
  readonly isComplete: boolean;
}

type ToTasks =
  | { readonly do: 'summarize'; readonly id: number; readonly name: string }
  | {
      readonly do: 'index';
      readonly id: number;
      readonly name: string;
      readonly indexes: readonly IndexDeclaration[];
    }
  | { readonly do: 'extend'; readonly id: number; readonly server: string; readonly token: string }
  | { readonly do: 'stop'; readonly id: number };

type FromTasks = { readonly id: number } & (
  | { readonly progress: Summary }
  /** `token` is the result of an extension. */
  | { readonly done: true; readonly token?: string }
  | { readonly failed: { readonly code: ErrorCode | undefined; readonly message: string } }
);

export interface TasksParts {
  readonly rowsOf: (name: string) => Pick<Rows, 'scan' | 'count'>;
  /** Opens another handle of a database, which declares indexes. */
  readonly declare: (
    name: string,
    indexes: readonly IndexDeclaration[],
  ) => Pick<Database, 'ready' | 'close' | 'explain'>;
  readonly random: () => number;
  /** Extends a token at the server that issued it. */
  readonly extend: (server: string, token: string) => Promise<string>;
}

const BATCH = 500;
const TOLD_EACH_MS = 250;
/** How often to look whether an index is built. */
const LOOK_MS = 50;

export function serveTasks(port: MessagePort, parts: TasksParts): void {
  const running = new Map<number, AbortController>();

  async function run(task: Exclude<ToTasks, { do: 'stop' | 'extend' }>, signal: AbortSignal): Promise<void> {
    if (task.do === 'index') return createIndexes(parts, task.name, task.indexes, signal);
    const tell = (progress: Summary) => port.postMessage({ id: task.id, progress } satisfies FromTasks);
    return summarize(parts, task.name, signal, tell);
  }

  async function answered(task: Exclude<ToTasks, { do: 'stop' }>): Promise<FromTasks> {
    const { id } = task;
    const ending = new AbortController();
    running.set(id, ending);
    try {
      if (task.do === 'extend') return { id, done: true, token: await parts.extend(task.server, task.token) };
      await run(task, ending.signal);
      return { id, done: true };
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return { id, failed: { code: isFixpointError(error) ? error.code : undefined, message } };
    } finally {
      running.delete(id);
    }
  }

  port.onmessage = ({ data }: MessageEvent<ToTasks>) => {
    if (data.do === 'stop') running.get(data.id)?.abort();
    else void answered(data).then((message) => port.postMessage(message));
  };
}

async function summarize(
  { rowsOf, random }: TasksParts,
  name: string,
  signal: AbortSignal,
  tell: (summary: Summary) => void,
): Promise<void> {
  const rows = rowsOf(name);
  let total: number | undefined;
  // The count is only for the progress.
  rows.count({ signal }).then(
    (count) => {
      total = count;
    },
    () => undefined,
  );
  const summarizer = new DocumentsSummarizer(random);
  let toldAt = performance.now();
  for await (const docs of rows.scan({ batch: BATCH, signal })) {
    for (const doc of docs) summarizer.add(doc);
    if (performance.now() - toldAt < TOLD_EACH_MS) continue;
    tell({ ...summarizer.summary(), total, isComplete: false });
    // A summary of many fields takes long, too.
    toldAt = performance.now();
  }
  const summary = summarizer.summary();
  tell({ ...summary, total: summary.documents, isComplete: true });
}

/** Resolves when the indexes are built. */
async function createIndexes(
  { declare }: TasksParts,
  name: string,
  indexes: readonly IndexDeclaration[],
  signal: AbortSignal,
): Promise<void> {
  const handle = declare(name, indexes);
  try {
    await handle.ready();
    const wanted = new Set(indexes.map(textOf));
    for (;;) {
      const { declared } = await handle.explain({});
      if (!declared.some((one) => !one.isReady && wanted.has(textOfKnown(one)))) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
      signal.throwIfAborted();
    }
  } finally {
    await handle.close();
  }
}

/** Returns the same text for a declaration and for the index that it declares. */
function textOf(index: IndexDeclaration): string {
  if (typeof index === 'string') return textOf([index]);
  if ('text' in index) return textOfKnown({ kind: 'text', fields: index.text, prefix: index.prefix });
  const { fields, prefix } = 'fields' in index ? index : { fields: index, prefix: '' };
  return textOfKnown({ kind: 'fields', fields, prefix });
}

const textOfKnown = ({
  kind,
  fields,
  prefix = '',
}: Pick<KnownIndex, 'kind' | 'fields'> & { readonly prefix?: string | undefined }): string =>
  JSON.stringify([kind, fields, prefix]);

/** The page's end. */
export interface Tasks {
  /**
   * Summarizes all documents. `show` receives each step.
   * @throws FixpointError; the reason of the signal
   */
  summarize(name: string, show: (summary: Summary) => void, signal: AbortSignal): Promise<void>;
  /** Creates indexes, and resolves when they can answer. @throws FixpointError CONFIG_INVALID */
  createIndexes(name: string, indexes: readonly IndexDeclaration[]): Promise<void>;
  /**
   * Extends a token for a ledger of another server.
   * @throws FixpointError NOT_SIGNED_IN if the server doesn't extend the token, FETCH, HTTP
   */
  extendToken(server: string, token: string): Promise<string>;
  lost(reason: string): void;
}

type Asked =
  | { do: 'summarize'; name: string }
  | { do: 'index'; name: string; indexes: readonly IndexDeclaration[] }
  | { do: 'extend'; server: string; token: string };

interface Waiting {
  show(summary: Summary): void;
  resolve(token: string | undefined): void;
  reject(cause: unknown): void;
}

export function createTasks(port: MessagePort): Tasks {
  const waiting = new Map<number, Waiting>();
  let numbers = 0;
  let ended: FixpointError | undefined;

  port.onmessage = ({ data }: MessageEvent<FromTasks>) => {
    const own = waiting.get(data.id);
    if ('progress' in data) return own?.show(data.progress);
    waiting.delete(data.id);
    if ('failed' in data) own?.reject(errorOf(data.failed));
    else own?.resolve(data.token);
  };

  const run = (
    task: Asked,
    show: (summary: Summary) => void = () => undefined,
    signal?: AbortSignal,
  ): Promise<string | undefined> =>
    new Promise((resolve, reject) => {
      if (ended !== undefined) return reject(ended);
      signal?.throwIfAborted();
      const id = ++numbers;
      signal?.addEventListener('abort', () => {
        if (!waiting.delete(id)) return;
        port.postMessage({ do: 'stop', id } satisfies ToTasks);
        reject(signal.reason);
      });
      waiting.set(id, { show, resolve, reject });
      port.postMessage({ ...task, id } satisfies ToTasks);
    });

  return {
    summarize: async (name, show, signal) => void (await run({ do: 'summarize', name }, show, signal)),
    createIndexes: async (name, indexes) => void (await run({ do: 'index', name, indexes })),
    extendToken: async (server, token) => (await run({ do: 'extend', server, token })) ?? '',
    lost: (reason) => {
      ended ??= new FixpointError('WORKER_LOST', reason);
      for (const { reject } of waiting.values()) reject(ended);
      waiting.clear();
    },
  };
}
