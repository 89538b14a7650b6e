/** Answers requests for the console's pages and files below `/fp/`. */
import { readdir, readFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { extname, join, sep } from 'node:path';

const MOUNT = '/fp';
const HOME = `${MOUNT}/databases`;
const PAGE = '/index.html';
/**
 * Path of the service worker. The plugin never serves it, because it would control the
 * application's origin.
 */
const SERVICE_WORKER = '/sw.js';
const ROUTES = /^\/fp\/(databases|cloud)(\/|$)/;

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

/**
 * The content security policy of the deployed console, except that an application in development
 * may sync with any cloud.
 */
const POLICY =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; " +
  "worker-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; connect-src 'self' http: https: ws: wss:";
/**
 * Returns the policy of the worker that runs typed map functions, which may fetch only its
 * WebAssembly file.
 */
const mapWorkerPolicy = (wasm: readonly string[]): string =>
  `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src ${wasm.join(' ') || "'none'"}`;
const HOST = /^[\w.:[\]-]+$/;

/**
 * Answers a request if it is for the console, and leaves any other request untouched.
 * @param folder the built console
 * @returns whether the request was for the console
 */
export async function answerConsole(
  folder: string,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<boolean> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return false;
  const [path = ''] = (request.url ?? '').split('?');
  if (path !== MOUNT && !path.startsWith(`${MOUNT}/`)) return false;
  if (path === MOUNT || path === `${MOUNT}/`) {
    response.writeHead(302, { location: HOME }).end();
    return true;
  }
  // Serve only files that were found in the folder: never join a request's path to it.
  const files = await filesBelow(folder);
  const wanted = path.slice(MOUNT.length);
  const isRoute = ROUTES.test(path);
  if (wanted !== PAGE && files.has(wanted))
    send(response, 200, wanted, await readFile(join(folder, wanted)), policyOf(wanted, request, files));
  else if (!isRoute && !wantsPage(request, path)) sendText(response, 'Not found');
  else if (!files.has(PAGE)) sendText(response, `No built console is in ${folder}`);
  else send(response, isRoute ? 200 : 404, PAGE, mounted(await readFile(join(folder, PAGE), 'utf8')));
  return true;
}

function policyOf(path: string, request: IncomingMessage, files: ReadonlySet<string>): string {
  if (!path.includes('map-worker')) return POLICY;
  const origin = originOf(request);
  return mapWorkerPolicy(
    [...files].filter((file) => file.endsWith('.wasm')).map((file) => origin + MOUNT + file),
  );
}

/** Returns the origin that the browser used. A policy that names a path needs this origin. */
function originOf({ headers, socket }: IncomingMessage): string {
  const first = (name: string) =>
    String(headers[name] ?? '')
      .split(',')[0]
      ?.trim() ?? '';
  const host = [first('x-forwarded-host'), first(':authority'), first('host')].find((one) => HOST.test(one));
  const isSecure = first('x-forwarded-proto') === 'https' || 'encrypted' in socket;
  return `${isSecure ? 'https' : 'http'}://${host ?? 'localhost'}`;
}

/**
 * Returns whether a user opened the path as a page. Returns false if a script or a page fetches a
 * file.
 */
const wantsPage = ({ headers }: IncomingMessage, path: string): boolean =>
  extname(path) === '' && (headers.accept ?? '').includes('text/html');

/** Returns the paths of the files to serve, relative to the folder, with a leading slash. */
async function filesBelow(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  const paths = entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replaceAll(sep, '/'));
  return new Set(paths.filter((path) => path !== SERVICE_WORKER && !path.endsWith('.map')));
}

/**
 * Returns the page adapted to its mount path: with that prefix in its file URLs, not installable as
 * an app, without a service worker, and without preloads of cloud resources.
 */
const mounted = (html: string): string =>
  html
    .replace('<html ', '<html data-mounted ')
    .replace(/\s*<link rel="(manifest|preload)"[^>]*>/g, '')
    .replace(/\b(src|href)="\/(?!\/)/g, `$1="${MOUNT}/`);

function send(
  response: ServerResponse,
  status: number,
  path: string,
  body: Uint8Array | string,
  policy = POLICY,
): void {
  response.writeHead(status, {
    'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  });
  response.end(response.req.method === 'HEAD' ? undefined : body);
}

function sendText(response: ServerResponse, text: string): void {
  response.writeHead(404, {
    'content-type': 'text/plain; charset=utf-8',
    'x-content-type-options': 'nosniff',
  });
  response.end(response.req.method === 'HEAD' ? undefined : text);
}
