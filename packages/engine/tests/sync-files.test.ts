import { LIMITS } from '@fixpoint/protocol';
import { describe, expect, test } from 'vitest';
import type { StoredFile } from '../src/files/read-file.ts';
import type { Attached } from '../src/sync/remote.ts';
import { OBJECTS } from '../src/testing/memory-gateway.ts';
import { haveSameHead, type Replica, type World, world } from './sync-world.fixture.ts';

type WithFiles = { _files: Record<string, StoredFile> };

const FILES = `${OBJECTS}t/l/file/`;
const PART = LIMITS.fileBlockBytesMax;
const inSync = (...syncs: readonly Attached[]) => syncs.every((sync) => sync.status().state === 'in-sync');
const entryOf = async ({ db }: Replica, id: string, name = 'f') => {
  const entry = (await db.get<WithFiles>(id))._files[name];
  if (entry === undefined) throw new Error(`${id} has no file ${name}`);
  return entry;
};
const textOf = async (here: World, replica: Replica, id: string) =>
  (await here.time.run((await entryOf(replica, id)).file())).text();
const codeOf = (work: Promise<unknown>) =>
  work.then(
    () => 'nothing was refused',
    (error: { code?: string }) => error.code,
  );
const fileUrls = ({ gateway }: World) => [...gateway.objects.keys()].filter((url) => url.startsWith(FILES));
const hasDoc = async ({ db }: Replica, id: string) => (await db.allDocs()).rows.some(({ key }) => key === id);

describe('sync of files', () => {
  test('uploads a file before the meta of its document, and fetches it elsewhere on request', async () => {
    const here = world();
    const { time, gateway, replica } = here;
    const [a, b] = [replica(), replica()];
    const early: boolean[] = [];
    gateway.objectFailure = ({ method, url }) => {
      if (method === 'PUT' && url.startsWith(FILES)) early.push(!gateway.log.includes('reqPutMeta'));
      return undefined;
    };
    await a.db.put({ _id: 'a', _files: { f: new Blob(['text'], { type: 'text/plain' }) } });
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    await time.until(async () => (await hasDoc(b, 'a')) && inSync(syncA, syncB));
    expect(early).toEqual([true]);
    const sealed = gateway.objects.get(fileUrls(here)[0] ?? '') ?? new Uint8Array();
    expect(Buffer.from(sealed).includes('text')).toBe(false);
    expect(await textOf(here, b, 'a')).toBe('text');
    // The first read stored the file on the device.
    b.line.set('cut');
    expect(await textOf(here, b, 'a')).toBe('text');
  });

  test('sends files written before attach, offline, or by a process that ended', async () => {
    const here = world();
    const { time, replica } = here;
    const a = replica();
    await a.db.put({ _id: 'before', _files: { f: new Blob(['before']) } });
    a.line.set('cut');
    await a.attach();
    await a.db.put({ _id: 'offline', _files: { f: new Blob(['offline']) } });
    await time.pass(1000);
    const again = a.crash();
    const b = replica();
    const syncs = [await again.attach(), await b.attach()];
    await time.until(async () => (await hasDoc(b, 'offline')) && inSync(...syncs));
    expect([await textOf(here, b, 'before'), await textOf(here, b, 'offline')]).toEqual([
      'before',
      'offline',
    ]);
  });

  test('never resends a part of a long file that the remote has, and never sends a file twice', async () => {
    const here = world();
    const { time, gateway, replica } = here;
    const a = replica();
    await a.db.put({ _id: 'long', _files: { f: new Uint8Array(3 * PART).map((_, at) => at >> 16) } });
    const sent: string[] = [];
    gateway.objectFailure = ({ method, url }) => {
      if (method !== 'PUT' || !url.startsWith(FILES)) return undefined;
      sent.push(url);
      if (sent.length === 3) a.line.set('cut');
      return undefined;
    };
    await a.attach();
    await time.until(() => a.line.state() === 'cut');
    await time.pass(1000);
    expect(gateway.log).not.toContain('reqPutMeta');
    const again = a.crash();
    const syncs = [await again.attach()];
    await time.until(() => inSync(...syncs));
    expect(new Set(sent).size).toBe(3);
    expect(sent.length).toBeLessThanOrEqual(3 + LIMITS.uploadsParallelMax);
    const before = sent.length;
    const last = await again.reopen();
    syncs.push(await last.attach());
    await time.until(() => inSync(...syncs.slice(1)));
    expect(sent).toHaveLength(before);
  });

  test('[R13] syncs documents and files within 5 s after a cut line works again, whichever message the cut interrupted', async () => {
    for (let boundary = 0; boundary < 30; boundary++) {
      const here = world({ seed: boundary });
      const { time, replica } = here;
      const [a, b] = [replica(), replica()];
      await a.db.put({ _id: 'a', _files: { f: new Blob([`a ${boundary}`]) } });
      a.line.cutAfter(boundary);
      b.line.cutAfter(boundary * 2);
      const syncs = [await a.attach({ files: 'always' }), await b.attach({ files: 'always' })];
      await time.pass(500);
      await b.db.put({ _id: 'b', _files: { f: new Blob([`b ${boundary}`]) } });
      await time.pass(3000);
      for (const { line } of [a, b]) line.set('up');
      const healedAt = time.now();
      await time.until(async () => inSync(...syncs) && (await haveSameHead([a, b])));
      expect(time.now() - healedAt).toBeLessThan(5000);
      for (const { line } of [a, b]) line.set('cut');
      expect(await textOf(here, a, 'b')).toBe(`b ${boundary}`);
      expect(await textOf(here, b, 'a')).toBe(`a ${boundary}`);
    }
  });

  test('[R13] reports a damaged or missing file at the remote with a code, and reads the file once it is repaired', async () => {
    const here = world();
    const { time, gateway, replica } = here;
    const [a, b] = [replica(), replica()];
    await a.db.put({ _id: 'a', _files: { f: new Blob(['text']) } });
    await a.db.put({ _id: 'other', _files: { f: new Blob(['fine']) } });
    const syncs = [await a.attach(), await b.attach()];
    await time.until(async () => (await hasDoc(b, 'other')) && inSync(...syncs));
    const entry = await entryOf(b, 'a');
    const url = `${FILES}${entry.car[0]}`;
    const right = gateway.objects.get(url) ?? new Uint8Array();
    const other = gateway.objects.get(`${FILES}${(await entryOf(b, 'other')).car[0]}`) ?? new Uint8Array();
    for (const bad of [right.slice(0, -1), right.map((byte, at) => (at === 70 ? byte ^ 1 : byte)), other]) {
      gateway.objects.set(url, bad);
      expect(await time.run(codeOf(entry.file()))).toBe('CORRUPT');
    }
    gateway.objects.delete(url);
    expect(await time.run(codeOf(entry.file()))).toBe('MISSING_CARS');
    gateway.objects.set(url, right);
    gateway.objectFailure = () => 503;
    expect(await time.run(codeOf(entry.file()))).toBe('MISSING_CARS');
    gateway.objectFailure = undefined;
    expect(await textOf(here, b, 'a')).toBe('text');
    expect(await textOf(here, b, 'other')).toBe('fine');
  });

  test('rejects a read of an absent file immediately while offline, and waits for the file while connecting', async () => {
    const here = world();
    const { time, replica } = here;
    const [a, b] = [replica(), replica()];
    await a.db.put({ _id: 'a', _files: { f: new Blob(['text']) } });
    const syncs = [await a.attach(), await b.attach()];
    await time.until(async () => (await hasDoc(b, 'a')) && inSync(...syncs));
    b.line.set('cut');
    await time.until(() => syncs[1]?.status().state === 'offline');
    const entry = await entryOf(b, 'a');
    expect(await codeOf(entry.file())).toBe('MISSING_CARS');
    const again = await b.reopen();
    expect(await codeOf((await entryOf(again, 'a')).file())).toBe('MISSING_CARS');
    const sync = await again.attach();
    expect(sync.status().state).toBe('connecting');
    expect(await textOf(here, again, 'a')).toBe('text');
  });

  test('reports no failure while it connects to fetch all files', async () => {
    const here = world();
    const { time, replica } = here;
    const a = replica();
    a.line.set('silent');
    const sync = await a.attach({ files: 'always' });
    await time.pass(100);
    expect(sync.status().error).toBeUndefined();
    a.line.set('up');
    await time.until(() => inSync(sync));
  });

  test('fetches all files with `always`; counts a damaged file until it is repaired, without delaying other files', async () => {
    const here = world();
    const { time, gateway, replica } = here;
    const [a, b] = [replica(), replica()];
    await a.db.bulk([1, 2, 3].map((n) => ({ _id: `d${n}`, _files: { f: new Blob([`text ${n}`]) } })));
    const syncA = await a.attach();
    await time.until(() => inSync(syncA));
    const bad = `${FILES}${(await entryOf(a, 'd2')).car[0]}`;
    const right = gateway.objects.get(bad) ?? new Uint8Array();
    gateway.objects.set(bad, Uint8Array.of(1, 2, 3));
    const syncB = await b.attach({ files: 'always' });
    await time.until(() => syncB.status().error?.code === 'CORRUPT');
    await time.until(() => syncB.status().toFetch === 1);
    expect(syncB.status().state).toBe('catching-up');
    await expect(time.run(syncB.synced())).rejects.toMatchObject({ code: 'CORRUPT' });
    gateway.objects.set(bad, right);
    await time.until(() => inSync(syncB));
    await a.db.put({ _id: 'live', _files: { f: new Blob(['live']) } });
    await time.until(async () => (await hasDoc(b, 'live')) && inSync(syncA, syncB));
    b.line.set('cut');
    for (const [id, text] of [
      ['d1', 'text 1'],
      ['d2', 'text 2'],
      ['d3', 'text 3'],
      ['live', 'live'],
    ] as const)
      expect(await textOf(here, b, id)).toBe(text);
  });

  test('sends documents while the remote rejects a file, and sends the file once it is accepted', async () => {
    const here = world();
    const { time, gateway, replica } = here;
    const [a, b] = [replica(), replica()];
    gateway.objectFailure = ({ url, method }) =>
      method === 'PUT' && url.startsWith(FILES) ? 413 : undefined;
    const [syncA, syncB] = [await a.attach(), await b.attach()];
    await a.db.put({ _id: 'a', _files: { f: new Blob(['text']) } });
    await a.db.put({ _id: 'plain' });
    await time.until(() => hasDoc(b, 'plain'));
    await time.until(() => syncA.status().toSend === 1);
    expect(syncA.status()).toMatchObject({ state: 'catching-up', error: { code: 'GATEWAY_PUT' } });
    expect(await time.run(codeOf((await entryOf(b, 'a')).file()))).toBe('MISSING_CARS');
    gateway.objectFailure = undefined;
    await time.until(() => inSync(syncA, syncB));
    expect(await textOf(here, b, 'a')).toBe('text');
  });
});
