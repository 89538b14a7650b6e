/**
 * Lets the page create the workers that run map functions, although only the engine uses them. The
 * engine's worker must not create them: while a debugger or a test observes Firefox 153, a worker
 * that creates a worker waits until the debugger knows the new one. Both wait for the same signal,
 * which wakes only one of them. If it wakes the new worker, the engine's worker stops forever. The
 * messages of map functions don't pass through the page: each worker has a port to the engine.
 */
import type { SandboxWorker } from 'fixpoint/sandbox';

type ToPage =
  | { readonly do: 'create'; readonly id: number; readonly port: MessagePort }
  | { readonly do: 'terminate'; readonly id: number };

/** Reports the error of a worker to the engine. */
interface FromPage {
  readonly id: number;
  readonly message: string;
}

/** Returns a function that lets the page at the other end of the port create a worker. */
export function workersOfPage(page: MessagePort): () => SandboxWorker {
  const running = new Map<number, SandboxWorker>();
  let created = 0;
  page.onmessage = ({ data: { id, message } }: MessageEvent<FromPage>) =>
    running.get(id)?.onerror?.({ message } as ErrorEvent);
  const tell = (message: ToPage, ports: MessagePort[] = []) => page.postMessage(message, ports);

  return () => {
    const { port1, port2 } = new MessageChannel();
    created += 1;
    const id = created;
    const worker: SandboxWorker = {
      onmessage: null,
      onerror: null,
      postMessage: (message) => port1.postMessage(message),
      // The page terminates the worker only after the work that it does at this moment. The engine
      // doesn't wait for it: it ignores the worker from now on.
      terminate: () => {
        if (!running.delete(id)) return;
        port1.onmessage = null;
        port1.close();
        tell({ do: 'terminate', id });
      },
    };
    running.set(id, worker);
    port1.onmessage = (event) => worker.onmessage?.(event);
    tell({ do: 'create', id, port: port2 }, [port2]);
    return worker;
  };
}

type PageWorker = Pick<Worker, 'postMessage' | 'terminate' | 'onerror'>;

/**
 * Creates and terminates workers for the engine at the other end of the port. `terminate` ends all
 * workers, and creates no more. The page ignores messages of these workers, which are hostile.
 */
export function serveMapWorkers(engine: MessagePort, create: () => PageWorker): Pick<Worker, 'terminate'> {
  const running = new Map<number, PageWorker>();

  function start(id: number, port: MessagePort): void {
    const fail = (message: string) => engine.postMessage({ id, message } satisfies FromPage);
    try {
      const worker = create();
      running.set(id, worker);
      worker.onerror = ({ message }) => fail(message);
      worker.postMessage(port, [port]);
    } catch (error) {
      fail(String(error));
    }
  }

  engine.onmessage = ({ data }: MessageEvent<ToPage>) => {
    if (data.do === 'create') return start(data.id, data.port);
    running.get(data.id)?.terminate();
    running.delete(data.id);
  };

  return {
    terminate: () => {
      engine.onmessage = null;
      engine.close();
      for (const worker of running.values()) worker.terminate();
      running.clear();
    },
  };
}
