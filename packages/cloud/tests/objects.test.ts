import { createHash } from 'node:crypto';
import { request } from 'node:http';
import { describe, expect, test } from 'vitest';
import {
  about,
  carKey,
  httpClient,
  newLedger,
  newMember,
  openEntry,
  putMetas,
  putObject,
  testCloud,
} from './cloud.fixture.ts';

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

async function arranged() {
  const cloud = await testCloud();
  const notes = await newLedger(cloud);
  const client = await httpClient(cloud, notes);
  const urlFor = async (method: 'PUT' | 'GET' | 'DELETE', key: string): Promise<string> => {
    const type = ({ PUT: 'reqPutData', GET: 'reqGetData', DELETE: 'reqDelData' } as const)[method];
    return (await client.request(type, about(notes, 'car', method, key))).signedUrl;
  };
  return { cloud, notes, client, urlFor };
}

/** Sends a request exactly as written, without the changes that fetch makes. */
function raw(url: string, method: string, headers: Record<string, string>, body?: string): Promise<number> {
  const { hostname, port } = new URL(url);
  const path = url.slice(new URL(url).origin.length);
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

describe('objects by signed URL', () => {
  test('[7] handles PUT, GET and DELETE, and answers 404 for absent objects', async () => {
    const { urlFor } = await arranged();
    const bytes = bytesOf('sealed bytes');
    const key = carKey(bytes);
    expect((await fetch(await urlFor('GET', key))).status).toBe(404);
    expect((await fetch(await urlFor('DELETE', key), { method: 'DELETE' })).status).toBe(404);
    expect((await fetch(await urlFor('PUT', key), { method: 'PUT', body: bytes })).status).toBe(200);
    const got = await fetch(await urlFor('GET', key));
    expect(await got.text()).toBe('sealed bytes');
    expect(Object.fromEntries(got.headers)).toMatchObject({
      'content-type': 'application/octet-stream',
      'content-disposition': 'attachment; filename="object.bin"',
      'x-content-type-options': 'nosniff',
      'content-security-policy': expect.stringMatching(/^sandbox; .*object-src 'none'; base-uri 'none'/),
      'access-control-allow-origin': '*',
    });
    expect((await fetch(await urlFor('DELETE', key), { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(await urlFor('GET', key))).status).toBe(404);
  });

  test('[S3] accepts only matching bytes for an object whose name is the hash of its bytes', async () => {
    const { client, notes, urlFor } = await arranged();
    const name = (bytes: Uint8Array) => `s${createHash('sha256').update(bytes).digest('hex')}`;
    const sealed = bytesOf('sealed');
    expect(await putObject(client, notes, name(sealed), bytesOf('other!'))).toBe(400);
    expect((await fetch(await urlFor('GET', name(sealed)))).status).toBe(404);
    expect(await putObject(client, notes, name(sealed), sealed)).toBe(200);
    expect(await (await fetch(await urlFor('GET', name(sealed)))).text()).toBe('sealed');
  });

  test('[S3] accepts the same bytes again, and rejects other bytes with a conflict', async () => {
    const { client, notes, urlFor } = await arranged();
    expect(await putObject(client, notes, 'k', bytesOf('first'))).toBe(200);
    expect(await putObject(client, notes, 'k', bytesOf('first'))).toBe(200);
    expect(await putObject(client, notes, 'k', bytesOf('other'))).toBe(409);
    expect(await (await fetch(await urlFor('GET', 'k'))).text()).toBe('first');
  });

  test("[R14] keeps variants of one object that replicas encrypted with different keys, and serves one that the ledger's keys open", async () => {
    const { client, notes, urlFor } = await arranged();
    const sealed = (key: string, text: string) => {
      const [data, id] = [
        Buffer.from(text),
        createHash('sha256')
          .update(Buffer.from([1, 2, 3]))
          .digest(),
      ];
      return new Uint8Array(
        Buffer.concat([
          Buffer.from([0xa3, 0x62, 0x69, 0x76, 0x4c]),
          Buffer.alloc(12),
          Buffer.from([0x64, 0x64, 0x61, 0x74, 0x61, 0x40 + data.length]),
          data,
          Buffer.from([0x65, 0x6b, 0x65, 0x79, 0x49, 0x64, 0x58, 0x20]),
          key === 'zLdp' ? id : createHash('sha256').update(key).digest(),
        ]),
      );
    };
    const given = async () => {
      const bytes = await (await fetch(await urlFor('GET', 'k'))).arrayBuffer();
      return Buffer.from(bytes).toString('latin1');
    };
    expect(await putObject(client, notes, 'k', sealed('lost', 'first'))).toBe(200);
    // The bytes 1, 2, 3 in base58.
    expect(await putObject(client, notes, 'k', sealed('zLdp', 'second'))).toBe(200);
    expect(await putObject(client, notes, 'k', sealed('zLdp', 'forged'))).toBe(409);
    expect(await given()).toContain('first');
    await putMetas(client, notes, [await openEntry(client, notes, 'c')], ['zLdp']);
    expect(await given()).toContain('second');
  });

  test('returns large objects unchanged', async () => {
    const { client, notes, urlFor } = await arranged();
    const large = new Uint8Array(9_000_000).map((_, index) => (index * 31) % 251);
    expect(await putObject(client, notes, 'large', large)).toBe(200);
    const got = new Uint8Array(await (await fetch(await urlFor('GET', 'large'))).arrayBuffer());
    expect(Buffer.compare(got, large)).toBe(0);
  });

  test('[S3] limits a URL to one method, one object, one host and five minutes', async () => {
    const { client, notes, urlFor } = await arranged();
    await putObject(client, notes, 'k', bytesOf('first'));
    const [get, put] = [await urlFor('GET', 'k'), await urlFor('PUT', 'k2')];
    for (const method of ['PUT', 'DELETE', 'POST', 'HEAD'])
      expect((await fetch(get, { method, ...(method === 'PUT' && { body: 'x' }) })).status).toBe(403);
    expect((await fetch(put)).status).toBe(403);
    expect((await fetch(get.replace('/k?', '/k2?'))).status).toBe(403);
    expect((await fetch(get.replace('localhost', '127.0.0.1'))).status).toBe(403);
    expect(await raw(get, 'GET', { host: 'elsewhere.example' })).toBe(403);
    expect(await raw(get.replace('/car/', '/car/../car/'), 'GET', { host: new URL(get).host })).toBe(403);
    expect(await raw(get.replace('/car/', '/%63ar/'), 'GET', { host: new URL(get).host })).toBe(403);
    const { searchParams } = new URL(get);
    expect(Number(searchParams.get('e')) * 1000 - Date.now()).toBeLessThanOrEqual(300_000);
    const later = get.replace(/e=\d+/, `e=${Number(searchParams.get('e')) + 600}`);
    expect((await fetch(later)).status).toBe(403);
    const fields = about(notes, 'car', 'GET', 'k');
    const wish = await client.request('reqGetData', {
      ...fields,
      urlParam: { ...fields.urlParam, expires: 86_400 },
    });
    expect(Number(new URL(wish.signedUrl).searchParams.get('e')) * 1000 - Date.now()).toBeLessThanOrEqual(
      300_000,
    );
  });

  test.each(['../../../etc/passwd', '..', 'a/b', '%2e%2e%2fx', 'k?m=PUT', ''])(
    '[S3] rejects %j as a key',
    async (key) => {
      const { client, notes } = await arranged();
      for (const type of ['reqPutData', 'reqGetData', 'reqDelData'] as const)
        expect(await client.request(type, about(notes, 'car', 'GET', key))).toMatchObject({
          type: 'error',
          code: 'REQUEST_INVALID',
        });
    },
  );

  test('[S7] rejects an upload of unknown or too large length before it reads the bytes', async () => {
    const { urlFor } = await arranged();
    const url = await urlFor('PUT', 'k');
    const host = { host: new URL(url).host };
    expect(await raw(url, 'PUT', { ...host, 'transfer-encoding': 'chunked' }, 'x')).toBe(411);
    expect(await raw(url, 'PUT', { ...host, 'content-length': '64000001', expect: '100-continue' })).toBe(
      413,
    );
  });

  test('[S1] gives a reader URLs for downloads, but not for writes', async () => {
    const { cloud, notes, client } = await arranged();
    await putObject(client, notes, 'k', bytesOf('first'));
    const reader = await newMember(cloud, notes, 'read');
    const reading = await httpClient(cloud, reader);
    const { signedUrl } = await reading.request('reqGetData', about(reader, 'car', 'GET', 'k'));
    expect((await fetch(signedUrl)).status).toBe(200);
    for (const type of ['reqPutData', 'reqDelData', 'reqPutMeta', 'reqDelMeta'] as const) {
      const fields = { ...about(reader, 'car', 'PUT', 'k'), meta: { metas: [], keys: [] } };
      expect(await reading.request(type, fields)).toMatchObject({ type: 'error', code: 'FORBIDDEN' });
    }
  });
});
