/** Tests a gateway that stores its objects in a bucket, as clients see it. */
import { describe, expect, test } from 'vitest';
import { faultyBucket } from '../src/objects/memory-bucket.fixture.ts';
import type { Answer } from '../src/objects/s3.fixture.ts';
import { faultyServer, newBucket, S3 } from '../src/objects/s3.fixture.ts';
import {
  about,
  carKey,
  commit,
  httpClient,
  metaEntry,
  newLedger,
  putMetas,
  putObject,
  testCloud,
} from './cloud.fixture.ts';

const bytes = new Uint8Array(Buffer.from('sealed bytes'));
const key = carKey(bytes);

describe.skipIf(S3 === undefined)('a gateway on a bucket (skipped without FIXPOINT_TEST_S3)', () => {
  test('receives uploads through the gateway, and returns download URLs of the bucket if configured', async () => {
    const bucket = await newBucket({ isDirect: true });
    const cloud = await testCloud({ bucket });
    const notes = await newLedger(cloud);
    const client = await httpClient(cloud, notes);
    expect(await putObject(client, notes, key, bytes)).toBe(200);
    const signed = await client.request('reqGetData', {
      ...about(notes, 'car', 'GET', key),
      urlParam: { ...about(notes, 'car', 'GET', key).urlParam, expires: 86_400 },
    });
    expect(signed.signedUrl.startsWith(`${bucket.url}/${notes.tenant}/${notes.ledger}/car/${key}?`)).toBe(
      true,
    );
    expect(new URL(signed.signedUrl).searchParams.get('X-Amz-Expires')).toBe('300');
    expect(await (await fetch(signed.signedUrl)).text()).toBe('sealed bytes');
    const { signedUrl } = await client.request('reqGetData', about(notes, 'car', 'GET', 'nothing'));
    expect((await fetch(signedUrl)).status).toBe(404);
  });

  test('[R14] reports an unreachable bucket, not a missing object, and recovers', async () => {
    const bucket = await newBucket();
    const { origin, pathname } = new URL(bucket.url);
    let answer: Answer = 'pass';
    const faults = await faultyServer(origin, () => answer);
    const cloud = await testCloud({ bucket: { ...bucket, url: `${faults}${pathname}` } });
    const notes = await newLedger(cloud);
    const client = await httpClient(cloud, notes);
    const done = await commit(client, notes, 'before');
    expect(done.answer.type).toBe('resPutMeta');
    const { signedUrl } = await client.request('reqGetData', about(notes, 'car', 'GET', done.key));
    answer = { status: 503 };
    const failed = await fetch(signedUrl);
    expect(failed.status).toBe(503);
    expect(failed.headers.get('retry-after')).toBe('1');
    expect(await putObject(client, notes, key, bytes)).toBe(503);
    answer = 'pass';
    expect(await (await fetch(signedUrl)).text()).toBe('before');
    expect(await putObject(client, notes, key, bytes)).toBe(200);
  });
});

test('[S7] queries the store once for metas that refer to one archive a thousand times', async () => {
  let asked = 0;
  const { config } = await faultyBucket((method) => {
    if (method === 'GET') asked += 1;
    return 'pass';
  });
  const cloud = await testCloud({ bucket: config });
  const notes = await newLedger(cloud);
  const client = await httpClient(cloud, notes);
  expect(await putObject(client, notes, key, bytes)).toBe(200);
  const before = asked;
  const metas = Array.from({ length: 10 }, (_, n) => metaEntry(Array(100).fill(key), `${n}`));
  expect((await putMetas(client, notes, metas)).type).toBe('resPutMeta');
  expect(asked - before).toBe(1);
  const other = metaEntry([key, carKey(new Uint8Array(1))], 'other');
  expect(await putMetas(client, notes, [...metas, other])).toMatchObject({ code: 'MISSING_CARS' });
});
