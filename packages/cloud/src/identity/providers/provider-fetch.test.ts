import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fetchProviderJson, isProviderUrl } from './provider-fetch.ts';

async function serverOf(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

test.each([
  'http://169.254.169.254/latest/meta-data/',
  'https://169.254.169.254/latest/meta-data/',
  'https://[fe80::1]/keys',
  'http://metadata.google.internal/',
  'http://10.0.0.1/keys',
  'http://localhost.evil.example/keys',
  'https://user:password@provider.example/keys',
  'ftp://provider.example/keys',
  'file:///etc/passwd',
  'keys',
])('[S14] rejects %s as the address of a provider, and never fetches it', async (url) => {
  const asked = vi.spyOn(globalThis, 'fetch').mockImplementation(async () => Response.json({}));
  onTestFinished(() => asked.mockRestore());
  expect(isProviderUrl(url)).toBe(false);
  await expect(fetchProviderJson(url)).rejects.toMatchObject({ code: 'FETCH' });
  expect(asked).not.toHaveBeenCalled();
});

test('[S14] rejects a redirect', async () => {
  let reached = 0;
  const elsewhere = await serverOf((_, response) => {
    reached += 1;
    response.end('{"keys":[]}');
  });
  const provider = await serverOf((_, response) => response.writeHead(302, { location: elsewhere }).end());
  await expect(fetchProviderJson(provider)).rejects.toMatchObject({ code: 'FETCH' });
  expect(reached).toBe(0);
});

test("[S14] rejects an answer that isn't JSON, that failed, or that never ends", async () => {
  const answers: RequestListener[] = [
    (_, response) => response.end('no JSON'),
    (_, response) => response.writeHead(500).end('{}'),
    (_, response) => {
      const more = () => {
        while (response.write(' '.repeat(65_536)));
      };
      response.on('drain', more);
      more();
    },
  ];
  const told = [/JSON/, /status 500/, /too long/];
  for (const [index, answer] of answers.entries())
    await expect(fetchProviderJson(await serverOf(answer))).rejects.toMatchObject({
      code: 'FETCH',
      message: expect.stringMatching(told[index] ?? /x/),
    });
  const right = await serverOf((_, response) => response.end('{"keys":[]}'));
  expect(await fetchProviderJson(right)).toEqual({ keys: [] });
});

test('[S14] rejects if a provider is silent for five seconds', async () => {
  const late = new AbortController();
  const timeout = vi.spyOn(AbortSignal, 'timeout').mockReturnValue(late.signal);
  onTestFinished(() => timeout.mockRestore());
  const silent = await serverOf(() => late.abort(new Error('the time is over')));
  await expect(fetchProviderJson(silent)).rejects.toMatchObject({
    code: 'FETCH',
    message: expect.stringMatching(/the time is over/),
  });
  expect(timeout.mock.calls).toEqual([[5000]]);
});

test('[S14] allows fetches only of configured URLs, and in the code that checks each address of an issuer', () => {
  const root = join(import.meta.dirname, '../..');
  const asking = readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.ts$/.test(path) && !/\.(test|fixture)\.ts$/.test(path))
    .filter((path) =>
      /(?<![.\w])fetch\(|node:https|new WebSocket\(/.test(readFileSync(join(root, path), 'utf8')),
    );
  expect(asking.sort()).toEqual([
    'identity/providers/issuer-fetch.ts',
    'identity/providers/provider-fetch.ts',
    'objects/bucket.ts',
  ]);
});
