import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDiskObjects } from './disk-objects.ts';
import { serveObjects } from './serve-objects.ts';
import { urlSigner } from './signed-url.ts';

test.each(['4', '6'])(
  '[R14] rejects an upload of five bytes that announces %s bytes, and stores nothing',
  async (length) => {
    const folder = await mkdtemp(join(tmpdir(), 'fixpoint-objects-'));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const now = () => 0;
    const disk = await openDiskObjects(folder, () => undefined, now);
    const objects = serveObjects(disk, urlSigner(new Uint8Array(32), now), undefined, () => undefined);
    const name = { tenant: 't', ledger: 'l', store: 'car', key: 'k' } as const;
    const url = objects.sign('PUT', 'http://host', name);
    const { pathname, search } = new URL(url);
    const request = new Request(url, { method: 'PUT', body: 'bytes', headers: { 'content-length': length } });
    expect((await objects.handle(request, `${pathname}${search}`, 'host')).status).toBe(400);
    expect(await objects.has(name)).toBe(false);
  },
);
