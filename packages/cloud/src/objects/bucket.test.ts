/**
 * Tests implausible answers of a store: each counts as a failure of the store, and loses nothing.
 */

import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openBucket } from './bucket.ts';
import { drop, keysIn, lengthOf, objectParts, readText } from './bucket-answers.ts';
import { faultyBucket } from './memory-bucket.fixture.ts';
import type { Answer } from './s3.fixture.ts';
import { openS3Objects } from './s3-objects.ts';
import { bytesOf } from './stored-objects.ts';

const FAILED = { code: 'STORE_FAILED' };

async function* parts(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

/** Opens objects in a bucket. After that, the test chooses how the bucket answers. */
async function arranged() {
  let answerTo: (method: string, path: string) => Answer = () => 'pass';
  const asked: string[] = [];
  const bucket = await faultyBucket((method, path) => {
    asked.push(`${method} ${path}`);
    return answerTo(method, path);
  });
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-s3-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const objects = await openS3Objects(
    bucket.config,
    folder,
    () => undefined,
    () => Date.now(),
  );
  await objects.write('t/l/car/k', parts('bytes'));
  const answer = (as: typeof answerTo) => {
    asked.length = 0;
    answerTo = as;
  };
  return { ...bucket, stored: objects, answer, asked };
}

describe('[R14] implausible store answers', () => {
  test("doesn't conclude from a 404 of another server that an object is missing", async () => {
    const { stored, answer } = await arranged();
    answer(() => ({ status: 404, body: '<html>404 page not found</html>' }));
    await expect(stored.has('t/l/car/k')).rejects.toMatchObject(FAILED);
    await expect(stored.open('t/l/car/k')).rejects.toMatchObject(FAILED);
    await expect(stored.remove('t/l/car/k')).rejects.toMatchObject(FAILED);
    expect(await stored.answers()).toBe(false);
    answer(() => ({ status: 404 }));
    expect(await stored.has('t/l/car/k')).toBe(false);
    expect(await stored.answers()).toBe(true);
  });

  test.each([201, 204, 206, 300, 412, 416])(
    'rejects a download that the store answers with status %i',
    async (status) => {
      const { stored, answer } = await arranged();
      answer(() => ({ status, body: status === 204 ? '' : 'no bytes of an object' }));
      await expect(stored.open('t/l/car/k')).rejects.toMatchObject(FAILED);
    },
  );

  test('removes nothing when a list contains keys that were not requested', async () => {
    const { stored, answer, asked, objects } = await arranged();
    answer((_, path) =>
      path.includes('list-type')
        ? { status: 200, body: '<ListBucketResult><Key>t/other/car/k</Key></ListBucketResult>' }
        : 'pass',
    );
    await expect(stored.removeLedger('t/l')).rejects.toMatchObject(FAILED);
    expect(asked.filter((each) => each.startsWith('DELETE'))).toEqual([]);
    expect([...objects.keys()]).toContain('t/l/car/k');
  });

  test('fails when a removal has no effect', async () => {
    const { stored, answer, asked } = await arranged();
    answer((method) => (method === 'DELETE' ? { status: 204 } : 'pass'));
    await expect(stored.removeLedger('t/l')).rejects.toMatchObject(FAILED);
    expect(asked.filter((each) => each.startsWith('DELETE'))).toHaveLength(1);
  });

  test('treats an invalid or partial list as a failure, not as empty', () => {
    expect(keysIn('<ListBucketResult xmlns="x"></ListBucketResult>\n', 't/l/')).toEqual([]);
    for (const odd of ['', '<html></html>', '<ListBucketResult><Key>t/l/car/k</Key>'])
      expect(() => keysIn(odd, 't/l/')).toThrow(expect.objectContaining(FAILED) as Error);
  });

  test('ignores listed keys that lead elsewhere, or that this server did not assign', () => {
    const list = (...keys: string[]) =>
      `<ListBucketResult>${keys.map((key) => `<Key>${key}</Key>`).join('')}</ListBucketResult>`;
    const foreign = ['t/l/../x/k', 't/l/./k', 't/l/..', 't/l/a&amp;b', 't/l/a b', 't/l/k?x', 't/l/'];
    expect(keysIn(list('t/l/car/k', ...foreign, 't/l/car/k~v'), 't/l/')).toEqual([
      't/l/car/k',
      't/l/',
      't/l/car/k~v',
    ]);
  });

  test("requires an object's length and its unencoded bytes", async () => {
    const answered = (headers: Record<string, string>) => new Response('bytes', { headers });
    expect(lengthOf(answered({ 'content-length': '5' }))).toBe(5);
    for (const odd of [{}, { 'content-length': '' }, { 'content-length': '-5' }, { 'content-length': '1e3' }])
      expect(() => lengthOf(answered(odd as Record<string, string>))).toThrow('no length');
    expect(() => lengthOf(answered({ 'content-length': '64000001' }))).toThrow('too large');
    expect(() => lengthOf(answered({ 'content-length': '5', 'content-encoding': 'gzip' }))).toThrow(
      'encoding',
    );
    const read = (length: number) =>
      bytesOf({ bytes: length, read: () => objectParts(new Response('bytes'), length) });
    expect(String(await read(5))).toBe('bytes');
    for (const length of [4, 6]) await expect(read(length)).rejects.toMatchObject(FAILED);
  });

  test('fails when an answer stalls or never ends', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const cancelled = vi.fn();
    const still = new Response(new ReadableStream({ cancel: cancelled }));
    const reading = expect(readText(still)).rejects.toMatchObject(FAILED);
    await vi.advanceTimersByTimeAsync(15_000);
    await reading;
    const endless = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(1_000_000)),
      cancel: cancelled,
    });
    await expect(readText(new Response(endless))).rejects.toMatchObject(FAILED);
    expect(cancelled).toHaveBeenCalledTimes(2);
  });
});

test('requests bytes without compression', async () => {
  const encodings: unknown[] = [];
  const server = createServer((asked, response) => {
    encodings.push(asked.headers['accept-encoding']);
    response.end('bytes');
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => void server.close());
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket`;
  const keys = { region: 'us-east-1', accessKeyId: 'id', secretAccessKey: 'secret', sessionToken: undefined };
  const bucket = openBucket({ url, isDirect: false, ...keys }, () => Date.now());
  expect(await (await bucket.get('k', 'whole'))?.text()).toBe('bytes');
  expect(encodings).toEqual(['identity']);
});

test('sends requests one after another through the same connection, even if bodies arrive late', async () => {
  const connections = new Set<Socket>();
  const server = createServer((asked, response) => {
    connections.add(asked.socket);
    asked.resume().on('end', () => {
      response.writeHead(asked.method === 'PUT' ? 412 : 206, { 'content-length': 5 });
      response.flushHeaders();
      setTimeout(() => response.end('bytes'), 5);
    });
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const { config } = await faultyBucket(() => 'pass');
  const bucket = openBucket({ ...config, url: `http://127.0.0.1:${port}/bucket` }, () => Date.now());
  const upload = { bytes: 5, hash: '0'.repeat(64), read: () => new Blob(['bytes']).stream() };
  for (let round = 0; round < 5; round += 1) {
    expect(await bucket.putNew('key', upload)).toBe(false);
    await drop((await bucket.get('key', 'first byte')) ?? new Response());
  }
  expect(connections.size).toBe(1);
});
