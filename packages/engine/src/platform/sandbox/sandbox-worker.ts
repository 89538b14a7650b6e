/**
 * The inside of a worker that runs map functions. Serve its script with a separate policy:
 * `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'`.
 */
import { ERROR_TEXT, FixpointError } from '@fixpoint/protocol';
import { SANDBOX_LIMITS, type SandboxLimits } from '../../ports/sandbox.ts';
import { openQuickJsMap, type QuickJsMap } from './quickjs-map.ts';
import { loadQuickJs } from './quickjs-module.ts';
import type { SandboxAnswer, SandboxRequest } from './sandbox-messages.ts';

/** The part of a worker's global object that the sandbox uses. */
export interface WorkerScope {
  postMessage(message: unknown): void;
  addEventListener(type: 'message', listener: (event: { readonly data: unknown }) => void): void;
}

export interface SandboxWorkerOptions {
  /**
   * The URL of the WebAssembly file of `@jitl/quickjs-ng-wasmfile-release-sync`. Without it, Node
   * reads the file from the package.
   */
  readonly wasmUrl?: string;
  readonly limits?: Partial<SandboxLimits>;
}

/**
 * Serves a {@link browserSandbox} from inside its worker. This call is all that the worker's entry
 * file needs.
 */
export function serveSandbox(scope: WorkerScope, { wasmUrl, limits: own }: SandboxWorkerOptions = {}): void {
  const limits = { ...SANDBOX_LIMITS, ...own };
  const module = loadQuickJs(wasmUrl === undefined ? undefined : () => fetched(wasmUrl));
  const maps = new Map<number, QuickJsMap>();

  async function answer(request: SandboxRequest): Promise<string> {
    if (request.do === 'open') {
      maps.set(
        request.map,
        openQuickJsMap(await module, request.source, limits, () => performance.now()),
      );
      return '[]';
    }
    const map = maps.get(request.map);
    if (map === undefined) throw new FixpointError('MAP_FAILED', 'the map function is closed');
    if (request.do === 'run') return map.run(request.documents);
    maps.delete(request.map);
    map.close();
    return '[]';
  }

  module.catch(() => undefined);
  scope.addEventListener('message', ({ data }) => {
    const request = data as SandboxRequest;
    const send = (message: SandboxAnswer) => scope.postMessage(message);
    answer(request).then(
      (rows) => send({ id: request.id, ok: true, rows }),
      (cause: unknown) => send({ id: request.id, ok: false, ...refusalOf(cause) }),
    );
  });
}

async function fetched(url: string): Promise<ArrayBuffer> {
  const response = await fetch(url);
  if (!response.ok) throw new Error(`the sandbox could not be loaded: ${response.status}`);
  return response.arrayBuffer();
}

const PREFIX = `${ERROR_TEXT.MAP_FAILED}: `;

/** Describes a failure. `lost` means that this worker never started, or must not be used again. */
function refusalOf(cause: unknown): { message: string; lost: boolean } {
  if (cause instanceof FixpointError) return { message: cause.message.slice(PREFIX.length), lost: false };
  return { message: cause instanceof Error ? cause.message : String(cause), lost: true };
}
