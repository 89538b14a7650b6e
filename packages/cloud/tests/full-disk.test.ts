/**
 * Tests a server with a full disk. A limit on the length of files simulates the full disk, and can
 * be set and lifted while the server runs.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { beforeAll, expect, test } from 'vitest';
import {
  about,
  carKey,
  commit,
  httpClient,
  newLedger,
  putObject,
  socketClient,
  tablesOf,
  temporaryFolder,
} from './cloud.fixture.ts';
import { build, run } from './process.fixture.ts';

beforeAll(build);

const hasLimits = spawnSync('prlimit', ['--version']).status === 0;

test.skipIf(!hasLimits)(
  '[R10][R14] rejects writes on a full disk, keeps acknowledged data, and recovers (skipped without prlimit)',
  async () => {
    const data = await temporaryFolder();
    const behind = await tablesOf(data);
    const notes = await newLedger(behind);
    await behind.db.destroy();
    const server = run({ PORT: '0', FIXPOINT_DATA: data });
    const url = await server.ready;
    const limitTo = (bytes: string) => {
      const args = ['--pid', String(server.child.pid), `--fsize=${bytes}:unlimited`];
      expect(spawnSync('prlimit', args).status).toBe(0);
    };
    const client = await httpClient({ url }, notes);
    const follower = await socketClient({ url }, notes);
    await follower.request('bindGetMeta', about(notes, 'meta', 'GET'));
    const before = await commit(client, notes, 'before');
    expect(before.answer.type).toBe('resPutMeta');

    limitTo('4096');
    const large = new Uint8Array(randomBytes(100_000));
    expect(await putObject(client, notes, carKey(large), large)).toBe(507);
    const { signedUrl } = await client.request('reqGetData', about(notes, 'car', 'GET', carKey(large)));
    expect((await fetch(signedUrl)).status).toBe(404);
    // A small object fits, but the row of its meta doesn't, because the file of the tables exceeds
    // the limit.
    const refused = await commit(client, notes, 'small');
    expect(refused.answer).toMatchObject({ type: 'error', message: 'internal error' });
    const listed = async () => {
      const { meta } = await client.request('bindGetMeta', about(notes, 'meta', 'GET'));
      return meta.metas.map(({ cid }: { cid: string }) => cid);
    };
    const download = await client.request('reqGetData', about(notes, 'car', 'GET', before.key));
    expect(await (await fetch(download.signedUrl)).text()).toBe('before');
    expect(await listed()).toEqual([before.entry.cid]);
    expect((await fetch(`${url}/healthz`)).status).toBe(200);

    const told = server.stderr.map((line) => (JSON.parse(line) as { err?: { stack?: string } }).err?.stack);
    expect(told.join()).toMatch(/\n +at /);

    limitTo('unlimited');
    expect(await putObject(client, notes, carKey(large), large)).toBe(200);
    const after = await commit(client, notes, 'after');
    expect(after.answer.type).toBe('resPutMeta');
    expect(follower.socket.readyState).toBe(follower.socket.OPEN);
    await expect
      .poll(() => follower.events.flatMap(({ meta }) => meta.metas.map(({ cid }: { cid: string }) => cid)))
      .toEqual([before.entry.cid, after.entry.cid]);

    server.child.kill('SIGTERM');
    expect(await server.ended).toBe(0);
    const again = run({ PORT: '0', FIXPOINT_DATA: data });
    const later = await httpClient({ url: await again.ready }, notes);
    const { meta, cursor } = await later.request('bindGetMeta', about(notes, 'meta', 'GET'));
    expect(meta.metas).toEqual([after.entry]);
    expect(cursor).toBe(2);
  },
);

test("[R9] lets two servers that start at the same time share a new data folder, and notifies each of the other's writes", async () => {
  const data = await temporaryFolder();
  const servers = [1, 2].map(() => run({ PORT: '0', FIXPOINT_DATA: data }));
  const urls = await Promise.all(servers.map(({ ready }) => ready));
  const behind = await tablesOf(data);
  const notes = await newLedger(behind);
  await behind.db.destroy();
  const followers = await Promise.all(urls.map((url) => socketClient({ url }, notes)));
  for (const follower of followers) await follower.request('bindGetMeta', about(notes, 'meta', 'GET'));
  const cids: string[] = [];
  for (let n = 0; n < 6; n += 1) {
    // Each entry has its own writer, so none is superseded.
    const writer = await httpClient({ url: urls[n % 2] ?? '' }, notes);
    const { entry, answer } = await commit(writer, notes, `n ${n}`);
    expect(answer.type).toBe('resPutMeta');
    cids.push(entry.cid);
  }
  for (const follower of followers)
    await expect
      .poll(() => follower.events.flatMap(({ meta }) => meta.metas.map(({ cid }: { cid: string }) => cid)))
      .toEqual(cids);
  for (const { child, ended } of servers) {
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
  }
});
