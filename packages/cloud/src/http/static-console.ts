import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
  '.json': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

/** Paths that the console's router knows; any other path is 404. */
const PAGES = /^\/($|login$|signup$|fp(\/|$))/;

interface Asset {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly headers: Record<string, string>;
}

export type StaticConsole = (path: string) => Response | undefined;

/** The built console, held in memory: it is small, and a request can name no file that was not read at the start. */
export async function staticConsole(
  folder: string,
  headersFor: (path: string) => Record<string, string>,
): Promise<StaticConsole> {
  const assets = new Map<string, Asset>();
  const files = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  for (const file of files) {
    if (!file.isFile()) continue;
    const full = join(file.parentPath, file.name);
    const path = full.slice(folder.length).replaceAll('\\', '/');
    const caching = path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache';
    const headers = {
      ...headersFor(path),
      'content-type': TYPES[extname(path)] ?? 'application/octet-stream',
      'cache-control': caching,
    };
    assets.set(path, { bytes: new Uint8Array(await readFile(full)), headers });
  }
  return (path) => {
    const asset = assets.get(path) ?? (PAGES.test(path) ? assets.get('/index.html') : undefined);
    return asset && new Response(asset.bytes, { headers: asset.headers });
  };
}
