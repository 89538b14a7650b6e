import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import type { SecurityHeaders } from './security-headers.ts';

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
const COMPRESSED = new Set(['.html', '.js', '.css', '.svg', '.wasm', '.json', '.txt', '.webmanifest']);
const SMALL_BYTES = 1024;
/** The weight of an encoding that a client refuses. */
const REFUSED = /;\s*q=0(\.0*)?\s*$/i;

/**
 * Paths that the console's router knows. Any other path is a file or doesn't exist. For a path that
 * doesn't exist, browsers get the console's "not found" page, with status 404.
 */
const PAGES = /^\/($|login$|signup$|fp\/)/;
/** The first page of the documentation, which consists of files. */
const DOCUMENTATION = '/docs/index.html';

type Bytes = Uint8Array<ArrayBuffer>;
interface Asset {
  readonly path: string;
  readonly bytes: Bytes;
  readonly etag: string;
  /** Returns the compressed bytes. The first call compresses them. */
  readonly encoded: (encoding: 'br' | 'gzip') => Promise<Bytes>;
}

/**
 * Returns the response to a request for a page or file of the console; undefined if it doesn't
 * exist. `base` is the address by which the client reached the server, with the base path.
 */
export type StaticConsole = (request: Request, path: string, base: string) => Promise<Response | undefined>;

/** Facts about the server that its page contains, so that scripts needn't request them. */
export interface PageFacts {
  /** The path below which browsers see the console. */
  readonly basePath?: string;
  /** The kind of the sign-in provider. */
  readonly signIn?: string;
}

/**
 * Loads the built console into memory. The console is small, and this way requests can't reach
 * other files.
 */
export async function staticConsole(
  folder: string | undefined,
  headersFor: SecurityHeaders['ofFile'],
  facts: PageFacts = {},
): Promise<StaticConsole> {
  const assets = new Map<string, Asset>();
  if (folder !== undefined)
    for (const path of await filesBelow(folder))
      assets.set(path, assetOf(path, await bytesOf(folder, path, facts)));
  const wasm = [...assets.keys()].filter((path) => path.endsWith('.wasm'));
  return async (request, path, base) => {
    const isPage = PAGES.test(path);
    if ((path === '/docs' || path === '/docs/') && assets.has(DOCUMENTATION))
      return new Response(null, { status: 302, headers: { location: base + DOCUMENTATION } });
    const asset =
      assets.get(path) ?? (isPage || wantsPage(request, path) ? assets.get('/index.html') : undefined);
    if (asset === undefined) return undefined;
    const status = isPage || asset.path === path ? 200 : 404;
    const headers: Record<string, string> = {
      ...headersFor(asset.path, base, wasm),
      'content-type': TYPES[extname(asset.path)] ?? 'application/octet-stream',
      'cache-control': asset.path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      etag: asset.etag,
      vary: 'accept-encoding',
    };
    if (status === 200 && request.headers.get('if-none-match') === asset.etag)
      return new Response(null, { status: 304, headers });
    const encoding = encodingFor(asset, request.headers.get('accept-encoding') ?? '');
    if (encoding === undefined) return new Response(asset.bytes, { status, headers });
    return new Response(await asset.encoded(encoding), {
      status,
      headers: { ...headers, 'content-encoding': encoding },
    });
  };
}

async function bytesOf(folder: string, path: string, { basePath = '', signIn }: PageFacts): Promise<Bytes> {
  const bytes = new Uint8Array(await readFile(join(folder, path)));
  if (path !== '/index.html') return bytes;
  let html = new TextDecoder().decode(bytes);
  if (signIn !== undefined) html = html.replace('<html ', `<html data-sign-in="${signIn}" `);
  if (basePath !== '') html = pageBelow(html, basePath);
  return new TextEncoder().encode(html);
}

/**
 * Returns the page with the base path in its addresses, and in an attribute that its scripts read.
 * A `base` element would also change links to anchors and in images, and the policy forbids it.
 */
const pageBelow = (html: string, basePath: string): string =>
  html
    .replace('<html ', `<html data-base="${basePath}" `)
    .replace(/\b(src|href)="\/(?!\/)/g, `$1="${basePath}/`);

/**
 * Returns whether a browser requests the path as a page, and not as a file for a page or script.
 */
const wantsPage = (request: Request, path: string): boolean =>
  extname(path) === '' && (request.headers.get('accept') ?? '').includes('text/html');

/**
 * Returns the paths of files, relative to the folder, with a leading slash. Skips files of tools,
 * such as `.git`.
 */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length).replaceAll('\\', '/'))
    .filter((path) => !path.includes('/.'));
}

function assetOf(path: string, bytes: Bytes): Asset {
  const made = new Map<string, Promise<Bytes>>();
  const make = async (encoding: 'br' | 'gzip'): Promise<Bytes> => {
    if (encoding === 'gzip') return new Uint8Array(await promisify(gzip)(bytes));
    return new Uint8Array(
      await promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 6 } }),
    );
  };
  return {
    path,
    bytes,
    etag: `"${createHash('sha256').update(bytes).digest('base64url').slice(0, 22)}"`,
    encoded: (encoding) => {
      const known = made.get(encoding) ?? make(encoding);
      made.set(encoding, known);
      return known;
    },
  };
}

function encodingFor({ path, bytes }: Asset, accepted: string): 'br' | 'gzip' | undefined {
  if (!COMPRESSED.has(extname(path)) || bytes.length < SMALL_BYTES) return undefined;
  const encodings = accepted
    .split(',')
    .filter((each) => !REFUSED.test(each))
    .map((each) => each.trim().split(';')[0]);
  return (['br', 'gzip'] as const).find((encoding) => encodings.includes(encoding));
}
