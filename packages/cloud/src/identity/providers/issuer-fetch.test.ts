import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isFixpointError } from '@fixpoint/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { fetchIssuerJson, type IssuerNetworks } from './issuer-fetch.ts';

async function server(listener: RequestListener) {
  const asked: string[] = [];
  const http = createServer((request, answer) => {
    asked.push(String(request.url));
    listener(request, answer);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  return { asked, url: `http://127.0.0.1:${(http.address() as AddressInfo).port}` };
}

const why = (url: string, networks: IssuerNetworks) =>
  fetchIssuerJson(url, networks).then(
    () => 'fetched',
    (error: unknown) => (isFixpointError(error, 'FETCH') ? error.message : 'another error'),
  );

test('fetches JSON from this machine if the operator allows all networks', async () => {
  const { url, asked } = await server((_, answer) => void answer.end('{"keys":[]}'));
  expect(await fetchIssuerJson(`${url}/keys`, 'any')).toEqual({ keys: [] });
  expect(asked).toEqual(['/keys']);
});

test.each([
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://10.0.0.1/',
  'https://169.254.169.254/latest/meta-data',
  'https://[::ffff:127.0.0.1]/',
  // Node reads these forms as 127.0.0.1.
  'https://2130706433/',
  'https://0x7f.1/',
])('[S14] connects to no private address: %s', async (url) => {
  expect(await why(url, 'public')).toContain('is not a public address');
});

test('[S14] connects to no name that resolves to a private address', async () => {
  expect(await why('https://localhost/', 'public')).toContain('is not a public address');
});

test('[S14] sends nothing without https, except to this machine if the operator allows it', async () => {
  const { url, asked } = await server((_, answer) => void answer.end('{}'));
  expect(await why(url, 'public')).toContain('not an https address');
  for (const networks of ['public', 'any'] as const)
    for (const other of ['http://keys.example/', 'file:///etc/passwd', 'ftp://127.0.0.1/', 'nothing', ''])
      expect(await why(other, networks), other).toContain('not an https address');
  expect(asked).toEqual([]);
});

test('[S14] follows no redirect', async () => {
  const { url, asked } = await server((_, answer) => {
    answer.writeHead(302, { location: '/elsewhere' });
    answer.end('{}');
  });
  expect(await why(url, 'any')).toContain('status 302');
  expect(asked).toEqual(['/']);
});

test('[S14] rejects long answers, other statuses, and text that isn’t JSON', async () => {
  const long = await server((_, answer) => void answer.end(`"${'x'.repeat(70_000)}"`));
  expect(await why(long.url, 'any')).toContain('too long');
  const missing = await server((_, answer) => {
    answer.statusCode = 404;
    answer.end('{}');
  });
  expect(await why(missing.url, 'any')).toContain('status 404');
  const page = await server((_, answer) => void answer.end('<html>'));
  expect(await why(page.url, 'any')).toMatch(/JSON/);
  const broken = await server((request) => void request.socket.destroy());
  expect(await why(broken.url, 'any')).not.toBe('fetched');
});
