/** Names of routes in metrics, traces and the log. Never a whole path, which may contain ids. */
import { SOCKET_PATH, STORAGE_PATH } from '@fixpoint/protocol';

const ROUTES = [
  '/api',
  '/obj/',
  '/auth/',
  '/mail/',
  '/assets/',
  '/docs/',
  '/healthz',
  '/readyz',
  '/metrics',
  '/.well-known/',
];

/** Paths that the server's pages have, besides those of `ROUTES`. */
const PAGES = ['/community', '/login', '/signup', '/second-step'];

/** First parts of the paths that the server has, such as `api`. */
export const SERVED_NAMES: ReadonlySet<string> = new Set(
  [STORAGE_PATH, SOCKET_PATH, ...ROUTES, ...PAGES].map((path) => path.split('/')[1] ?? ''),
);

export const routeOf = (path: string): string =>
  path === STORAGE_PATH || path === SOCKET_PATH
    ? path
    : (ROUTES.find((route) => path.startsWith(route)) ?? 'page');

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];

/** Returns the method if it is a usual one. An invented method must not become a label. */
export const methodOf = (method = ''): string => (METHODS.includes(method) ? method : 'OTHER');
