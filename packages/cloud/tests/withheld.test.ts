/**
 * Tests entries that are unreadable or whose objects vanish, requests to remove objects, and the
 * replacement of damaged objects.
 */
import { createHash } from 'node:crypto';
import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { putMetas as storeMetas } from '../src/tables/sync/put-metas.ts';
import {
  about,
  bind,
  type Client,
  carKey,
  cidsOf,
  cidText,
  commit,
  httpClient,
  type Ledger,
  metaEntry,
  newLedger,
  newMember,
  putMetas,
  putObject,
  sealedEntry,
  socketClient,
  type TestCloud,
  testCloud,
} from './cloud.fixture.ts';

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));

async function arranged(existing?: TestCloud) {
  const cloud = existing ?? (await testCloud());
  const notes = await newLedger(cloud);
  const client = await httpClient(cloud, notes);
  return { cloud, notes, client };
}

/** Returns the path of an object in the data folder. */
async function fileOf({ data }: TestCloud, { tenant, ledger }: Ledger, name: string): Promise<string> {
  const hex = (text: string) => createHash('sha256').update(text).digest('hex');
  const shelf = hex(`${tenant}/${ledger}`);
  return join(data, 'objects', shelf.slice(0, 2), shelf, hex(`${tenant}/${ledger}/${name}`));
}

const removeObject = async (cloud: TestCloud, notes: Ledger, key: string) =>
  rm(await fileOf(cloud, notes, `car/${key}`));

const listed = async (cloud: TestCloud, notes: Ledger, fields = {}) =>
  (await httpClient(cloud, notes)).request('bindGetMeta', { ...bind(notes), ...fields });

async function deleteObject(client: Client, notes: Ledger, key: string, store = 'car'): Promise<number> {
  const { signedUrl } = await client.request('reqDelData', about(notes, store, 'DELETE', key));
  return (await fetch(signedUrl, { method: 'DELETE' })).status;
}

async function getObject(client: Client, notes: Ledger, key: string, store = 'car'): Promise<number> {
  const { signedUrl } = await client.request('reqGetData', about(notes, store, 'GET', key));
  return (await fetch(signedUrl)).status;
}

const putWith = (client: Client, notes: Ledger, entry: object, objects: readonly string[], keys = ['zKey']) =>
  client.request('reqPutMeta', { ...about(notes, 'meta', 'PUT'), meta: { metas: [entry], keys }, objects });

describe('an entry that no client could read', () => {
  test.each([
    ['an empty CID', { cid: '' }, 'CID'],
    ['a CID that is garbage', { cid: 'garbage' }, 'CID'],
    ['data that is not multibase', { data: 'garbage' }, 'multibase'],
    ['empty data', { data: '' }, 'multibase'],
    ['data that hashes to another CID', { cid: cidText(0x71, bytesOf('other')) }, 'hash'],
  ])('[R20] rejects an entry with %s, and reports the entry and the reason', async (_, change, why) => {
    const { cloud, notes, client } = await arranged();
    const { entry: good } = await commit(client, notes, 'good');
    const bad = { ...metaEntry([carKey(bytesOf('good'))], 'bad'), ...change };
    const answer = await putMetas(client, notes, [good, bad], ['zKey']);
    expect(answer).toMatchObject({ type: 'error', code: 'REQUEST_INVALID' });
    expect(answer.message).toContain('meta.metas.1 ');
    expect(answer.message).toContain(why);
    expect(cidsOf(await listed(cloud, notes))).toEqual([good.cid]);
  });

  test('[R20] does not list such an entry if it is already stored, shows admins who put it, and lets them remove it', async () => {
    const { cloud, notes, client } = await arranged();
    const { entry: good } = await commit(client, notes, 'good');
    const member = await newMember(cloud, notes, 'write');
    const bad = [
      { cid: 'garbage', parents: [], data: 'x' },
      { cid: '', parents: [], data: '' },
      { cid: 'bafy', parents: [], data: 'M!!' },
      { cid: good.cid.replace('bafy', 'bafz'), parents: [], data: good.data },
    ];
    for (const [at, entry] of bad.entries())
      await storeMetas(
        cloud.db,
        notes,
        JSON.stringify([member.userId, `q${at}`, 'r']),
        { metas: [entry], keys: [] },
        0,
      );
    const event = await listed(cloud, notes);
    expect(cidsOf(event)).toEqual([good.cid]);
    expect(event.cursor).toBe(5);
    const since = new Date(0).toISOString();
    const said = bad.map(({ cid }) => ({ cid, why: 'malformed', since, author: member.userId }));
    expect(event.withheld).toEqual(expect.arrayContaining(said));
    expect((await listed(cloud, member)).withheld).toEqual(
      expect.arrayContaining(bad.map(({ cid }) => ({ cid, why: 'malformed', since }))),
    );
    const ask = { ...about(notes, 'meta', 'DELETE'), meta: { metas: [...bad, good], keys: [] } };
    await (await httpClient(cloud, member)).request('reqDelMeta', ask);
    expect((await listed(cloud, notes)).withheld).toHaveLength(4);
    await client.request('reqDelMeta', { ...ask, meta: { metas: bad, keys: [] } });
    expect((await listed(cloud, notes)).withheld).toEqual([]);
    expect(cidsOf(await listed(cloud, notes))).toEqual([good.cid]);
  });

  test('[R14] accepts the right entry under the CID of an unreadable entry', async () => {
    const { cloud, notes, client } = await arranged();
    await putObject(client, notes, carKey(bytesOf('good')), bytesOf('good'));
    const good = metaEntry([carKey(bytesOf('good'))]);
    await storeMetas(cloud.db, notes, 'someone', { metas: [{ ...good, data: 'Mnothing' }], keys: [] }, 0);
    expect(cidsOf(await listed(cloud, notes))).toEqual([]);
    expect((await putMetas(client, notes, [good], ['zKey'])).type).toBe('resPutMeta');
    expect((await listed(cloud, notes)).meta.metas).toEqual([good]);
  });
});

describe('an entry whose objects are absent', () => {
  test('[R14] rejects the entry with the names of all missing objects, including those that its archive refers to', async () => {
    const { notes, client } = await arranged();
    await putObject(client, notes, carKey(bytesOf('a')), bytesOf('a'));
    const entry = metaEntry([carKey(bytesOf('a'))]);
    const missing = [`car/${carKey(bytesOf('b'))}`, `file/${carKey(bytesOf('c'))}`];
    expect(await putWith(client, notes, entry, missing)).toMatchObject({
      type: 'error',
      code: 'MISSING_CARS',
      objects: missing,
    });
    expect(await putWith(client, notes, entry, ['car/../x'])).toMatchObject({ code: 'REQUEST_INVALID' });
    await putObject(client, notes, carKey(bytesOf('b')), bytesOf('b'));
    expect((await putWith(client, notes, entry, [missing[0] ?? ''])).type).toBe('resPutMeta');
  });

  test('[R14] withholds the entry and notifies followers, and lists the entry again when its objects are back', async () => {
    const { cloud, notes, client } = await arranged();
    const follower = await socketClient(cloud, notes);
    await follower.request('bindGetMeta', bind(notes));
    const { key, entry } = await commit(client, notes, 'one');
    await expect.poll(() => follower.events.flatMap(cidsOf)).toEqual([entry.cid]);
    await removeObject(cloud, notes, key);
    const absent = { cid: entry.cid, why: 'absent', entry, objects: [`car/${key}`] };
    await expect.poll(async () => cidsOf(await listed(cloud, notes))).toEqual([]);
    expect((await listed(cloud, notes)).withheld).toMatchObject([absent]);
    await expect.poll(() => follower.events.at(-1).withheld).toMatchObject([absent]);
    await putObject(client, notes, key, bytesOf('one'));
    await expect.poll(() => follower.events.flatMap(cidsOf)).toEqual([entry.cid, entry.cid]);
    const again = await listed(cloud, notes);
    expect(cidsOf(again)).toEqual([entry.cid]);
    expect(again.withheld).toEqual([]);
  });

  test('[R14] withholds the entry while an object that only its archive refers to is missing', async () => {
    const { cloud, notes, client } = await arranged();
    const [own, part] = [bytesOf('own'), bytesOf('part')];
    for (const bytes of [own, part]) await putObject(client, notes, carKey(bytes), bytes);
    await putWith(client, notes, sealedEntry('a'), [`car/${carKey(own)}`, `car/${carKey(part)}`], ['S1.key']);
    expect(cidsOf(await listed(cloud, notes))).toEqual([sealedEntry('a').cid]);
    await removeObject(cloud, notes, carKey(part));
    await expect.poll(async () => cidsOf(await listed(cloud, notes))).toEqual([]);
    await putObject(client, notes, carKey(part), part);
    expect(cidsOf(await listed(cloud, notes))).toEqual([sealedEntry('a').cid]);
  });
});

describe('a request to remove an object', () => {
  test('[R14] succeeds, but keeps an object that an entry refers or referred to', async () => {
    const { notes, client } = await arranged();
    const [first, second] = [await commit(client, notes, 'first'), await commit(client, notes, 'second')];
    for (const { key } of [first, second]) {
      expect(await deleteObject(client, notes, key)).toBe(204);
      expect(await getObject(client, notes, key)).toBe(200);
    }
    expect(await deleteObject(client, notes, carKey(bytesOf('nowhere')))).toBe(404);
  });

  test('[R14] keeps the objects of an entry, and removes an object that no entry needs', async () => {
    const { notes, client } = await arranged();
    const [own, part, spare] = [bytesOf('own'), bytesOf('part'), bytesOf('spare')];
    for (const bytes of [own, part, spare]) await putObject(client, notes, carKey(bytes), bytes);
    await putWith(client, notes, metaEntry([carKey(own)]), [`car/${carKey(part)}`]);
    for (const [bytes, then] of [
      [own, 200],
      [part, 200],
      [spare, 404],
    ] as const) {
      expect(await deleteObject(client, notes, carKey(bytes))).toBe(204);
      expect(await getObject(client, notes, carKey(bytes))).toBe(then);
    }
  });

  test('[R14] has no effect while an entry does not reveal which objects it needs', async () => {
    const { cloud, notes, client } = await arranged();
    const key = carKey(bytesOf('a'));
    await putObject(client, notes, key, bytesOf('a'));
    await storeMetas(cloud.db, notes, 'before this version', { metas: [sealedEntry('old')], keys: [] }, 0);
    expect(await deleteObject(client, notes, key)).toBe(204);
    expect(await getObject(client, notes, key)).toBe(200);
  });
});

describe('a damaged object', () => {
  const sealedName = (bytes: Uint8Array) => `s${createHash('sha256').update(bytes).digest('hex')}`;

  test('[R14] causes its entry to be withheld after a client reports the object, until the right bytes replace it', async () => {
    const { cloud, notes, client } = await arranged();
    const bytes = bytesOf('sealed bytes');
    const key = sealedName(bytes);
    await putObject(client, notes, key, bytes);
    await putWith(client, notes, sealedEntry('a'), [`car/${key}`], ['S1.key']);
    const file = await fileOf(cloud, notes, `car/${key}`);
    const whole = await listed(cloud, notes, { faulty: [`car/${key}`] });
    expect(cidsOf(whole)).toEqual([sealedEntry('a').cid]);
    await writeFile(file, 'damaged');
    const event = await listed(cloud, notes, { faulty: [`car/${key}`] });
    expect(cidsOf(event)).toEqual([]);
    expect(event.withheld).toMatchObject([{ why: 'absent', objects: [`car/${key}`] }]);
    expect(await putObject(client, notes, key, bytesOf('damaged'))).toBe(400);
    expect(await putObject(client, notes, key, bytes)).toBe(200);
    expect(String(await readFile(file))).toBe('sealed bytes');
    expect(cidsOf(await listed(cloud, notes))).toEqual([sealedEntry('a').cid]);
  });

  test("[S7] isn't read for a user who reported too many objects", async () => {
    const { cloud, notes, client } = await arranged();
    const bytes = bytesOf('sealed bytes');
    const key = sealedName(bytes);
    await putObject(client, notes, key, bytes);
    await putWith(client, notes, sealedEntry('a'), [`car/${key}`], ['S1.key']);
    await writeFile(await fileOf(cloud, notes, `car/${key}`), 'damaged');
    const absent = ['car/a', 'car/b', 'car/c', 'car/d'];
    for (let asked = 0; asked < 40; asked += 1) await listed(cloud, notes, { faulty: absent });
    const listing = await listed(cloud, notes, { faulty: [...absent, `car/${key}`] });
    expect(cidsOf(listing)).toEqual([sealedEntry('a').cid]);
  });

  test('[S3] is replaced only by bytes that match its name, even if the name is the CID of unencrypted content', async () => {
    const { cloud, notes, client } = await arranged();
    const { key } = await commit(client, notes, 'plain');
    const file = await fileOf(cloud, notes, `car/${key}`);
    await writeFile(file, 'damaged');
    expect(await putObject(client, notes, key, bytesOf('other'))).toBe(409);
    expect(String(await readFile(file))).toBe('damaged');
    expect(await putObject(client, notes, key, bytesOf('plain'))).toBe(200);
    expect(String(await readFile(file))).toBe('plain');
    expect(await putObject(client, notes, key, bytesOf('other'))).toBe(409);
    expect(String(await readFile(file))).toBe('plain');
    expect((await readdir(join(cloud.data, 'objects', 'drafts'))).length).toBe(0);
  });
});
