import { beforeEach, expect, test, vi } from 'vitest';
import { browserSessionEnvironment, REQUEST_MS } from './session-environment.ts';

beforeEach(() => {
  vi.stubGlobal('window', {});
  vi.stubGlobal('localStorage', {});
});

const post = () => browserSessionEnvironment()?.post('https://cloud.example/api/app', {});

test('gives up a request that the server never answers', async () => {
  const limits: number[] = [];
  const limit = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms);
    return limit.signal;
  });
  const never = (_: string, { signal }: RequestInit) =>
    new Promise((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('timed out')));
    });
  vi.stubGlobal('fetch', never);
  const posted = post();
  limit.abort();
  await expect(posted).rejects.toThrow('timed out');
  expect(limits).toEqual([REQUEST_MS]);
  vi.restoreAllMocks();
});

test('rejects an answer that ends early, and returns no body for text that is no JSON', async () => {
  const broken = new ReadableStream({ start: (stream) => stream.error(new Error('cut off')) });
  vi.stubGlobal('fetch', async () => new Response(broken));
  await expect(post()).rejects.toThrow('cut off');
  vi.stubGlobal('fetch', async () => new Response('<html>', { status: 502 }));
  expect(await post()).toEqual({ status: 502, body: undefined });
});
