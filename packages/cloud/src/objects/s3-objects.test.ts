import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type BucketConfig, openBucket } from './bucket.ts';
import { type Answer, faultyServer, newBucket, S3 } from './s3.fixture.ts';
import { openS3Objects } from './s3-objects.ts';
import { bytesOf, type StoredObjects } from './stored-objects.ts';

const NOWHERE: BucketConfig = {
  url: 'http://127.0.0.1:1/bucket',
  region: 'us-east-1',
  accessKeyId: 'id',
  secretAccessKey: 'canary',
  sessionToken: undefined,
  isDirect: false,
};

async function openAt(bucket: BucketConfig, now = () => Date.now()): Promise<StoredObjects> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-s3-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return openS3Objects(bucket, folder, () => undefined, now);
}

async function* parts(text: string): AsyncIterable<Uint8Array> {
  yield Buffer.from(text);
}

/**
 * Opens a bucket behind a proxy. The proxy first sends the answers that the test planned, then
 * forwards all requests.
 */
async function behindFaults() {
  const bucket = await newBucket();
  const { origin, pathname } = new URL(bucket.url);
  const next: Answer[] = [];
  let asked = 0;
  const faults = await faultyServer(origin, () => {
    asked += 1;
    return next.shift() ?? 'pass';
  });
  const objects = await openAt({ ...bucket, url: `${faults}${pathname}` });
  const plan = (...answers: Answer[]) => {
    asked = 0;
    next.splice(0, next.length, ...answers);
  };
  return { bucket, objects, plan, asked: () => asked };
}

const BUSY: Answer = { status: 503, body: '<Error><Code>SlowDown</Code></Error>' };
const always = (answer: Answer) => Array.from({ length: 20 }, () => answer);

describe("a bucket that can't be used", () => {
  test('is rejected at start in one line, without the keys', async () => {
    const refused = await openAt(NOWHERE).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(String(refused)).toMatch(/^[^\n]*OBJECT_STORE[^\n]*$/);
    expect(String(refused)).not.toMatch(/canary/);
  });

  test('[S3] is rejected at start if its store would replace objects', async () => {
    const url = await faultyServer('http://127.0.0.1:1', (method) =>
      method === 'PUT' ? { status: 200 } : { status: 204 },
    );
    await expect(openAt({ ...NOWHERE, url: `${url}/bucket` })).rejects.toThrow(/If-None-Match/);
  });
});

describe.skipIf(S3 === undefined)('objects in a bucket (skipped without FIXPOINT_TEST_S3)', () => {
  test('[R14] retries while the store is overloaded, fails, or cuts connections', async () => {
    const { objects, plan, asked } = await behindFaults();
    plan(BUSY, { status: 500 }, 'cut', { status: 502 });
    expect(await objects.write('t/l/car/k', parts('bytes'))).toBe('stored');
    expect(asked()).toBe(5);
    plan(BUSY, 'cut');
    const object = await objects.open('t/l/car/k');
    expect(object && (await bytesOf(object)).toString()).toBe('bytes');
    plan({ status: 500 });
    expect(await objects.has('t/l/car/k')).toBe(true);
  });

  test('[R14] recognizes its own upload when it retries after a lost answer', async () => {
    const { objects, plan } = await behindFaults();
    plan('lose answer');
    expect(await objects.write('t/l/car/k', parts('bytes'))).toBe('same');
    expect(await objects.write('t/l/car/k', parts('other'))).toBe('different');
  });

  test("[R14] reports a failure, not a missing object, when the store doesn't answer", async () => {
    const { objects, plan } = await behindFaults();
    await objects.write('t/l/car/k', parts('bytes'));
    const failed = { code: 'STORE_FAILED' };
    plan(...always(BUSY));
    await expect(objects.open('t/l/car/k')).rejects.toMatchObject(failed);
    plan(...always({ status: 500 }));
    await expect(objects.write('t/l/car/other', parts('bytes'))).rejects.toMatchObject(failed);
    plan({ status: 404, body: '<Error><Code>NoSuchBucket</Code></Error>' });
    await expect(objects.has('t/l/car/k')).rejects.toMatchObject(failed);
    plan({ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' });
    await expect(objects.remove('t/l/car/k')).rejects.toThrow(/AccessDenied/);
    plan();
    expect(await objects.has('t/l/car/k')).toBe(true);
  });

  test('fails at start when the store rejects the access keys', async () => {
    const bucket = await newBucket();
    const opening = openAt({ ...bucket, secretAccessKey: 'canary' });
    await expect(opening).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    await expect(opening).rejects.not.toThrow(/canary/);
  });

  test('[S3] limits a URL of the bucket to one method, one object and its lifetime', async () => {
    const bucket = await newBucket({ isDirect: true });
    const objects = await openAt(bucket);
    await objects.write('t/l/car/k', parts('bytes'));
    await objects.write('t/l/car/other', parts('other'));
    const url = (await objects.signRead?.('t/l/car/k', undefined, 300)) ?? '';
    const got = await fetch(url);
    expect(await got.text()).toBe('bytes');
    expect(got.headers.get('content-disposition')).toBe('attachment');
    expect(got.headers.get('content-type')).toBe('application/octet-stream');
    for (const method of ['PUT', 'DELETE']) expect((await fetch(url, { method })).status).toBe(403);
    expect((await fetch(url.replace('/car/k', '/car/other'))).status).toBe(403);
    expect((await fetch(url.replace('Expires=300', 'Expires=301'))).status).toBe(403);
    const past = openBucket(bucket, () => Date.now() - 600_000);
    expect((await fetch(await past.signRead('t/l/car/k', 300))).status).toBe(403);
  });
});
