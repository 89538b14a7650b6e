/** Headers of everything that this server sends. Pages take scripts and styles from files of their own origin alone. */
const SCRIPTS = "script-src 'self' 'wasm-unsafe-eval'";
/** Said in words although the first says it of the second: some readers look for each. */
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

/** The worker that runs typed map functions may reach nothing but its own files. */
const MAP_WORKER = `${CLOSED}; ${SCRIPTS}; connect-src 'self'`;
const YEAR_SECONDS = 31_536_000;

export interface SecurityHeaders {
  /** Of a file of the console, for a client that reached the server by `origin`. */
  readonly ofFile: (path: string, origin: string) => Record<string, string>;
  /** Of answers that are no pages. */
  readonly ofAnswer: Record<string, string>;
}

/**
 * @param connectTo further origins that pages may speak to
 * @param provider origins of the sign-in provider: pages take its script from there and speak to it
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
  return {
    ofFile: (path, origin) => {
      const others = connectTo.flatMap((other) => [other, socketOf(other)]);
      const connect = ["connect-src 'self'", socketOf(origin), ...others, ...provider].join(' ');
      const scripts = [SCRIPTS, ...provider].join(' ');
      const policy = path.includes('map-worker') ? MAP_WORKER : `${PAGE}; ${scripts}; ${connect}`;
      return { ...common, 'content-security-policy': policy };
    },
    ofAnswer: { ...common, 'content-security-policy': CLOSED, 'cache-control': 'no-store' },
  };
}
