import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';

const ORIGIN = 'https://fixpoint.example';
const CACHE = 'console-v2';

interface Life {
  waitUntil(work: Promise<unknown>): void;
}
interface Fetched {
  readonly request: unknown;
  respondWith(answer: Promise<Response>): void;
}
const listeners = new Map<string, (event: Life & Fetched) => void>();
let claimed = 0;

/** Maps the name of a cache to its contents by path. */
const caches = new Map<string, Map<string, string>>();
const fetched: { readonly url: string; readonly signal: AbortSignal | undefined }[] = [];
let network: (url: string, signal: AbortSignal | undefined) => Promise<Response>;

const pathOf = (asked: unknown): string => new URL(String(asked), ORIGIN).pathname;

function stubWorker(): void {
  vi.stubGlobal('self', {
    addEventListener: (type: string, listener: (event: Life & Fetched) => void) =>
      void listeners.set(type, listener),
    clients: {
      claim: async () => {
        claimed += 1;
      },
    },
    location: new URL('/sw.js', ORIGIN),
  });
  vi.stubGlobal('FILES', ['/index.html', '/app-1.js']);
  vi.stubGlobal('VERSION', 'v2');
}

beforeAll(async () => {
  stubWorker();
  // @ts-expect-error a script without imports and exports, as service workers are
  await import('./service-worker.ts');
});

beforeEach(() => {
  caches.clear();
  fetched.length = 0;
  claimed = 0;
  network = async (url) => new Response(`network ${pathOf(url)}`);
  vi.stubGlobal('caches', {
    open: async (name: string) => ({
      addAll: async (paths: readonly string[]) => {
        for (const path of paths) await network(path, undefined);
        caches.set(name, new Map(paths.map((path) => [path, `cached ${path}`])));
      },
    }),
    keys: async () => [...caches.keys()],
    delete: async (name: string) => caches.delete(name),
    match: async (asked: unknown) => {
      const path = pathOf(asked);
      const found = [...caches.values()].map((files) => files.get(path)).find((text) => text !== undefined);
      return found === undefined ? undefined : new Response(found);
    },
  });
  vi.stubGlobal('fetch', (request: { url: string }, init?: { signal?: AbortSignal }) => {
    fetched.push({ url: request.url, signal: init?.signal });
    return network(request.url, init?.signal);
  });
});

/** Sends a life-cycle event, and waits for its work. */
async function send(type: 'install' | 'activate'): Promise<void> {
  const work: Promise<unknown>[] = [];
  listeners.get(type)?.({ waitUntil: (one: Promise<unknown>) => void work.push(one) } as Life & Fetched);
  await Promise.all(work);
}
interface Asked {
  readonly method?: string;
  readonly mode?: string;
}
/**
 * Returns the text of the answer to a request; undefined if the service worker doesn't intercept
 * the request.
 */
async function ask(path: string, { method = 'GET', mode = 'cors' }: Asked = {}): Promise<string | undefined> {
  let answer: Promise<Response> | undefined;
  const request = { url: new URL(path, ORIGIN).href, method, mode };
  const respondWith = (given: Promise<Response>) => {
    answer = given;
  };
  listeners.get('fetch')?.({ request, respondWith } as unknown as Life & Fetched);
  return (await answer)?.text();
}
const open = (path: string) => ask(path, { mode: 'navigate' });

describe('installing the service worker', () => {
  test('caches all files of the console', async () => {
    await send('install');
    expect([...(caches.get(CACHE)?.keys() ?? [])]).toEqual(['/index.html', '/app-1.js']);
  });

  test('fails when a file can’t be fetched, so that no cache is incomplete', async () => {
    network = () => Promise.reject(new TypeError('offline'));
    await expect(send('install')).rejects.toThrow('offline');
    expect(caches.size).toBe(0);
  });

  test('deletes older caches of the console when the new worker takes over, but no caches of other apps', async () => {
    for (const name of ['console-v1', CACHE, 'an-app']) caches.set(name, new Map());
    await send('activate');
    expect([[...caches.keys()], claimed]).toEqual([[CACHE, 'an-app'], 1]);
  });
});

describe('opening a page', () => {
  beforeEach(() => send('install'));

  test('prefers the server, whose pages may be newer', async () => {
    expect(await open('/fp/databases/notes')).toBe('network /fp/databases/notes');
  });

  test('uses the cached page without a network, whatever the address', async () => {
    network = () => Promise.reject(new TypeError('offline'));
    expect(await open('/fp/databases/notes')).toBe('cached /index.html');
  });

  test('waits at most four seconds for a connection that delivers nothing', async () => {
    const timeout = vi.spyOn(AbortSignal, 'timeout');
    await open('/fp/databases');
    expect(timeout).toHaveBeenCalledWith(4000);
    expect(fetched.at(-1)?.signal).toBe(timeout.mock.results[0]?.value);
    timeout.mockRestore();
  });

  test('fails with the error of the network when nothing is cached', async () => {
    caches.clear();
    network = () => Promise.reject(new TypeError('offline'));
    await expect(open('/fp/databases')).rejects.toThrow('offline');
  });

  test('leaves the pages of the identity provider to the browser', async () => {
    expect([await open('/auth/callback?code=1'), fetched]).toEqual([undefined, []]);
  });
});

describe('loading a file', () => {
  beforeEach(() => send('install'));

  test('uses the cached file, without a request', async () => {
    expect([await ask('/app-1.js'), fetched]).toEqual(['cached /app-1.js', []]);
  });

  test('fetches the file when the browser deleted the cache', async () => {
    caches.clear();
    expect(await ask('/app-1.js')).toBe('network /app-1.js');
  });

  test.each<[string, string, Asked]>([
    ['a call of the cloud', '/api/tenants', {}],
    ['a file of another version', '/app-0.js', {}],
    ['a write', '/app-1.js', { method: 'POST' }],
    ['a file of another origin', 'https://elsewhere.example/app-1.js', {}],
    ['a page of another origin', 'https://elsewhere.example/', { mode: 'navigate' }],
  ])('leaves %s to the browser', async (_what, path, asked) => {
    expect(await ask(path, asked)).toBeUndefined();
  });
});

describe('a console below a path', () => {
  beforeAll(async () => {
    stubWorker();
    vi.stubGlobal('self', { ...self, location: new URL('/notes/sw.js', ORIGIN) });
    vi.resetModules();
    // @ts-expect-error a script without imports and exports, as service workers are
    await import('./service-worker.ts');
  });

  test('caches its files below the path, apart from a console at the root', async () => {
    caches.set('console-v1', new Map());
    await send('install');
    await send('activate');
    expect([...caches.keys()]).toEqual(['console-v1', 'console/notes-v2']);
    expect([...(caches.get('console/notes-v2')?.keys() ?? [])]).toEqual([
      '/notes/index.html',
      '/notes/app-1.js',
    ]);
    expect(await ask('/notes/app-1.js')).toBe('cached /notes/app-1.js');
    expect(await ask('/app-1.js')).toBeUndefined();
    expect(await open('/notes/auth/callback')).toBeUndefined();
    network = () => Promise.reject(new TypeError('offline'));
    expect(await open('/notes/fp/databases')).toBe('cached /notes/index.html');
  });
});
