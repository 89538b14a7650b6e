import { FixpointError } from '@fixpoint/protocol';
import { SANDBOX_LIMITS, type Sandbox, type SandboxedMap } from '../../ports/sandbox.ts';
import type { SandboxAnswer, SandboxRequest } from './sandbox-messages.ts';
import { documentsJson, parseRows } from './sandbox-rows.ts';

/** The part of a `Worker` that the sandbox uses. */
export interface SandboxWorker {
  /** The method of the same name of a `Worker`. */
  postMessage(message: unknown): void;
  /** The method of the same name of a `Worker`. */
  terminate(): void;
  onmessage: ((event: MessageEvent) => void) | null;
  onerror: ((event: ErrorEvent) => void) | null;
}

/** Options of {@link browserSandbox}. */
export interface BrowserSandboxOptions {
  /**
   * Milliseconds after which a worker that doesn't answer is terminated. Default: the limit of a
   * query plus 20 s.
   */
  readonly silenceMsMax?: number;
}

type Waiting = (answer: SandboxAnswer) => void;
/** A request without its id. */
type Ask = SandboxRequest extends infer Each
  ? Each extends { id: number }
    ? Omit<Each, 'id'>
    : never
  : never;

interface Line {
  ask(request: Ask): Promise<string>;
  tell(request: Ask): void;
}

/**
 * Runs map functions in a worker. `createWorker` is called when a worker is first needed, and again
 * after one was lost: `browserSandbox(() => new Worker(new URL('./sandbox.worker.ts',
 * import.meta.url), { type: 'module' }))`, where that file calls `serveSandbox` of
 * `fixpoint/sandbox-worker`.
 */
export function browserSandbox(
  createWorker: () => SandboxWorker,
  { silenceMsMax = SANDBOX_LIMITS.queryMs + 20_000 }: BrowserSandboxOptions = {},
): Sandbox {
  let line: Line | undefined;
  let maps = 0;
  return {
    open: async (source): Promise<SandboxedMap> => {
      line ??= lineTo(createWorker(), silenceMsMax, () => {
        line = undefined;
      });
      const own = line;
      maps += 1;
      const map = maps;
      await own.ask({ do: 'open', map, source });
      return {
        run: async (documents) => {
          const rows = await own.ask({ do: 'run', map, documents: documentsJson(documents) });
          return parseRows(rows, documents.length);
        },
        close: () => own.tell({ do: 'close', map }),
      };
    },
  };
}

/**
 * Exchanges requests and answers with one worker. A worker that fails or stops answering is
 * terminated, and all pending requests are rejected with the reason.
 */
function lineTo(worker: SandboxWorker, silenceMsMax: number, lost: () => void): Line {
  const waiting = new Map<number, Waiting>();
  let requests = 0;
  let ended: string | undefined;

  function end(message: string): void {
    ended ??= message;
    worker.terminate();
    lost();
    for (const [id, answer] of [...waiting]) answer({ id, ok: false, message, lost: false });
  }

  worker.onerror = (event) => end(event.message || 'the sandbox could not be started');
  worker.onmessage = ({ data }) => {
    const answer = data as SandboxAnswer;
    waiting.get(answer.id)?.(answer);
    if (!answer.ok && answer.lost) end(answer.message);
  };

  const send = (request: Ask): number => {
    requests += 1;
    worker.postMessage({ ...request, id: requests });
    return requests;
  };

  return {
    tell: (request) => void (ended === undefined && send(request)),
    ask: (request) =>
      new Promise((resolve, reject) => {
        if (ended !== undefined) return reject(new FixpointError('MAP_FAILED', ended));
        const id = send(request);
        const timer = setTimeout(() => end(`stopped after ${silenceMsMax} ms`), silenceMsMax);
        waiting.set(id, (answer) => {
          clearTimeout(timer);
          waiting.delete(id);
          if (answer.ok) resolve(answer.rows);
          else reject(new FixpointError('MAP_FAILED', answer.message));
        });
      }),
  };
}
