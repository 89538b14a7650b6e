import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { securityHeaders } from './security-headers.ts';
import { staticConsole } from './static-console.ts';

const BASE = 'https://fixpoint.example';
const PAGE = '<html lang="en"><script src="/assets/a.js"></script><a href="/docs/">?</a></html>';
const LONG = 'const words = "the same words again and again";\n'.repeat(100);

const FILES = {
  'index.html': PAGE,
  'assets/a.js': LONG,
  'assets/short.js': 'let a;',
  'assets/picture.png': 'x'.repeat(5000),
  'assets/map.wasm': 'wasm',
  'docs/index.html': '<html lang="en">docs</html>',
  'odd.unknown': 'odd',
  '.git/config': 'secret',
};

async function consoleOf(files: Readonly<Record<string, string>> = FILES, basePath = '', signIn?: string) {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-static-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
  const facts = { basePath, ...(signIn !== undefined && { signIn }) };
  const serve = await staticConsole(folder, securityHeaders(undefined, []).ofFile, facts);
  return (path: string, headers: Record<string, string> = {}) =>
    serve(new Request(`${BASE}${path}`, { headers }), path, BASE + basePath);
}

describe('files of the console', () => {
  test.each([
    ['/', 'text/html; charset=utf-8', 'no-cache'],
    ['/assets/a.js', 'text/javascript; charset=utf-8', 'public, max-age=31536000, immutable'],
    ['/assets/picture.png', 'image/png', 'public, max-age=31536000, immutable'],
    ['/assets/map.wasm', 'application/wasm', 'public, max-age=31536000, immutable'],
    ['/odd.unknown', 'application/octet-stream', 'no-cache'],
  ])('serves %s with its type, and says how long to keep it', async (path, type, cache) => {
    const answer = await (await consoleOf())(path);
    expect(answer?.status).toBe(200);
    expect(answer?.headers.get('content-type')).toBe(type);
    expect(answer?.headers.get('cache-control')).toBe(cache);
    expect(answer?.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(answer?.headers.get('vary')).toBe('accept-encoding');
  });

  test.each(['/login', '/signup', '/fp/cloud', '/fp/databases/__proto__', '/fp/'])(
    'serves the page of the router at %s',
    async (path) => {
      const answer = await (await consoleOf())(path);
      expect([answer?.status, await answer?.text()]).toEqual([200, PAGE]);
    },
  );

  test('shows people a page with status 404 at other paths, and answers programs nothing', async () => {
    const ask = await consoleOf();
    const people = { accept: 'text/html,application/xhtml+xml' };
    for (const path of ['/login/more', '/fpx', '/unknown', '/__proto__', '/constructor']) {
      const answer = await ask(path, people);
      expect([answer?.status, await answer?.text()], path).toEqual([404, PAGE]);
      expect(await ask(path), path).toBeUndefined();
    }
    expect(await ask('/assets/missing.js', people)).toBeUndefined();
  });

  test('[S1] serves nothing outside its folder, and no files of tools', async () => {
    const ask = await consoleOf();
    for (const path of ['/.git/config', '/../index.html', '/assets/../../etc/passwd', '//index.html'])
      expect(await ask(path), path).toBeUndefined();
  });

  test('answers 304 for a known tag, without content, and never for a page that does not exist', async () => {
    const ask = await consoleOf();
    const etag = (await ask('/assets/a.js'))?.headers.get('etag') ?? '';
    expect(etag).toMatch(/^"[\w-]{22}"$/);
    const known = await ask('/assets/a.js', { 'if-none-match': etag });
    expect([known?.status, await known?.text(), known?.headers.get('etag')]).toEqual([304, '', etag]);
    expect((await ask('/assets/a.js', { 'if-none-match': '"other"' }))?.status).toBe(200);
    const pageTag = (await ask('/'))?.headers.get('etag') ?? '';
    const missing = await ask('/unknown', { accept: 'text/html', 'if-none-match': pageTag });
    expect(missing?.status).toBe(404);
  });

  test.each([
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, br;q=0.5', 'br'],
    ['deflate, gzip;q=1.0', 'gzip'],
    ['identity', null],
    ['', null],
    ['brotli', null],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.000, gzip;q=0', null],
  ])('compresses for a client that accepts %j as %s', async (accepted, encoding) => {
    const answer = await (await consoleOf())('/assets/a.js', { 'accept-encoding': accepted });
    expect(answer?.headers.get('content-encoding')).toBe(encoding);
    const bytes = Buffer.from((await answer?.arrayBuffer()) ?? new ArrayBuffer(0));
    const plain = encoding === 'br' ? brotliDecompressSync : encoding === 'gzip' ? gunzipSync : Buffer.from;
    expect(plain(bytes).toString()).toBe(LONG);
    if (encoding !== null) expect(bytes.length).toBeLessThan(LONG.length / 5);
  });

  test('compresses neither short files nor pictures, and answers many clients at once alike', async () => {
    const ask = await consoleOf();
    const headers = { 'accept-encoding': 'br, gzip' };
    for (const path of ['/assets/short.js', '/assets/picture.png'])
      expect((await ask(path, headers))?.headers.get('content-encoding'), path).toBeNull();
    const digests = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const answer = await ask('/assets/a.js', headers);
        return createHash('sha256')
          .update(Buffer.from((await answer?.arrayBuffer()) ?? new ArrayBuffer(0)))
          .digest('hex');
      }),
    );
    expect(new Set(digests).size).toBe(1);
  });

  test('serves nothing without a folder, or from a folder that does not exist', async () => {
    for (const folder of [undefined, join(tmpdir(), 'fixpoint-no-such-folder')]) {
      const serve = await staticConsole(folder, securityHeaders(undefined, []).ofFile);
      const request = new Request(BASE, { headers: { accept: 'text/html' } });
      for (const path of ['/', '/login', '/docs/', '/assets/a.js'])
        expect(await serve(request, path, BASE)).toBeUndefined();
    }
  });
});

test('writes the kind of the sign-in provider into the page, with and without a path', async () => {
  const pageAt = async (basePath: string) =>
    (await (await consoleOf(FILES, basePath, 'builtin'))('/login'))?.text();
  expect(await pageAt('')).toBe(PAGE.replace('<html ', '<html data-sign-in="builtin" '));
  expect(await pageAt('/notes')).toMatch(/^<html data-base="\/notes" data-sign-in="builtin" lang="en">/);
});

describe('the console below a path', () => {
  test('has the path in the addresses of its page, in no other file, and in another tag', async () => {
    const below = await consoleOf(FILES, '/notes');
    expect(await (await below('/'))?.text()).toBe(
      '<html data-base="/notes" lang="en"><script src="/notes/assets/a.js"></script><a href="/notes/docs/">?</a></html>',
    );
    expect(await (await below('/docs/index.html'))?.text()).toBe(FILES['docs/index.html']);
    const atRoot = await consoleOf();
    expect((await below('/'))?.headers.get('etag')).not.toBe((await atRoot('/'))?.headers.get('etag'));
  });

  test('leaves addresses of other servers, relative ones, and words between quotes', async () => {
    const page =
      '<html lang="en"><a href="//cdn.example/a">a</a><a href="https://x.example/b">b</a><a href="c">c</a>' +
      '<p>src is "/e"</p><link href="/f"></html>';
    const ask = await consoleOf({ 'index.html': page }, '/notes');
    expect(await (await ask('/login'))?.text()).toBe(
      page.replace('<html ', '<html data-base="/notes" ').replace('<link href="/f"', '<link href="/notes/f"'),
    );
  });

  test.each(['/docs', '/docs/'])('redirects %s to the first page of the documentation', async (path) => {
    const answer = await (await consoleOf(FILES, '/notes'))(path);
    expect([answer?.status, answer?.headers.get('location')]).toEqual([
      302,
      'https://fixpoint.example/notes/docs/index.html',
    ]);
  });

  test('shows a page instead of the documentation that a build left out', async () => {
    const ask = await consoleOf({ 'index.html': PAGE });
    expect(await ask('/docs/')).toBeUndefined();
    expect((await ask('/docs/', { accept: 'text/html' }))?.status).toBe(404);
  });
});
