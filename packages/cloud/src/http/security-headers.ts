/**
 * Security headers of all answers. Pages load styles only from their own origin, and scripts only
 * from there and from the sign-in provider.
 */
const SCRIPTS = "script-src 'self' 'wasm-unsafe-eval'";
/** `object-src` is redundant after `default-src`, but some scanners look for both. */
const CLOSED = "default-src 'none'; object-src 'none'; base-uri 'none'; frame-ancestors 'none'";
const PAGE = [
  CLOSED,
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "font-src 'self'",
  "worker-src 'self'",
  "manifest-src 'self'",
  "form-action 'self'",
].join('; ');

/**
 * Returns the policy of the worker that runs typed map functions, which may fetch only its
 * WebAssembly file. Needs `base`, because a policy can't contain a path without its origin.
 */
const mapWorker = (base: string, wasm: readonly string[]): string =>
  `${CLOSED}; ${SCRIPTS}; connect-src ${wasm.map((path) => base + path).join(' ') || "'none'"}`;
/**
 * The policy of the worker that runs the engine. It may connect to any server, because users may
 * connect a local database to a ledger of another server. Pages may not. It starts no worker, but
 * with `worker-src 'none'` it doesn't start in Firefox 153.
 */
const ENGINE_WORKER = `${CLOSED}; ${SCRIPTS}; worker-src 'self'; connect-src 'self' http: https: ws: wss:`;
const YEAR_SECONDS = 31_536_000;

export interface SecurityHeaders {
  /**
   * Returns the headers of a file of the console.
   * @param base the address by which the client reached the server, with the base path
   * @param wasm paths of the WebAssembly files of the console
   */
  readonly ofFile: (path: string, base: string, wasm: readonly string[]) => Record<string, string>;
  /** Headers of answers that aren't files of the console. */
  readonly ofAnswer: Record<string, string>;
}

/**
 * @param connectTo further origins that pages may connect to
 * @param provider origins of the sign-in provider: pages load its script from there and connect to
 * it
 */
export function securityHeaders(
  publicUrl: string | undefined,
  connectTo: readonly string[],
  provider: readonly string[] = [],
): SecurityHeaders {
  const common = {
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    ...(publicUrl?.startsWith('https:') && {
      'strict-transport-security': `max-age=${YEAR_SECONDS}; includeSubDomains`,
    }),
  };
  const socketOf = (origin: string) => origin.replace(/^http/, 'ws');
  const policyOf: (...of: Parameters<SecurityHeaders['ofFile']>) => string = (path, base, wasm) => {
    if (path.includes('map-worker')) return mapWorker(base, wasm);
    if (path.includes('engine-worker')) return ENGINE_WORKER;
    const others = connectTo.flatMap((other) => [other, socketOf(other)]);
    const connect = ["connect-src 'self'", socketOf(new URL(base).origin), ...others, ...provider].join(' ');
    return `${PAGE}; ${[SCRIPTS, ...provider].join(' ')}; ${connect}`;
  };
  return {
    ofFile: (path, base, wasm) => ({ ...common, 'content-security-policy': policyOf(path, base, wasm) }),
    ofAnswer: { ...common, 'content-security-policy': CLOSED, 'cache-control': 'no-store' },
  };
}
