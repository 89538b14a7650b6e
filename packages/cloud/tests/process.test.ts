import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { budget, patienceMs } from '../../engine/tests/budget.fixture.ts';
import {
  about,
  type Client,
  commit,
  httpClient,
  type Ledger,
  newLedger,
  socketClient,
  tablesOf,
  temporaryFolder,
  testCloud,
} from './cloud.fixture.ts';
import { build, run } from './process.fixture.ts';

beforeAll(build);

/** Creates a data folder that contains a ledger. */
async function arranged() {
  const data = await temporaryFolder();
  const behind = await tablesOf(data);
  const notes = await newLedger(behind);
  await behind.db.destroy();
  return { data, notes };
}

describe('the process', () => {
  test('prints its address in one line, notifies its sockets on a signal, and exits with 0', async () => {
    const { data, notes } = await arranged();
    const server = run({ PORT: '0', FIXPOINT_DATA: data });
    const url = await server.ready;
    expect(server.stdout).toEqual([`Fixpoint is ready: ${url}`]);
    const client = await socketClient({ url }, notes);
    const last = client.request('bindGetMeta', about(notes, 'meta', 'GET'));
    expect(await last).toMatchObject({ type: 'eventGetMeta' });
    server.child.kill('SIGTERM');
    expect((await client.closed).code).toBe(1012);
    expect(await server.ended).toBe(0);
    expect(server.stderr).toEqual([]);
  });

  test('[S15] makes its secrets readable only by its user', async () => {
    const { data } = await arranged();
    const server = run({ PORT: '0', FIXPOINT_DATA: data });
    await server.ready;
    expect((await stat(join(data, 'secrets.json'))).mode & 0o777).toBe(0o600);
    server.child.kill('SIGINT');
    expect(await server.ended).toBe(0);
  });

  test.each([
    ['a port that is not a number', { PORT: 'abc' }, 'PORT=abc'],
    ['an absent PostgreSQL', { DATABASE_URL: 'postgres://nobody:canary@localhost:1/none' }, 'DATABASE_URL'],
    [
      'a data folder that is a file',
      { FIXPOINT_DATA: import.meta.filename },
      `FIXPOINT_DATA=${import.meta.filename} can't be used`,
    ],
    ['an impossible data folder', { FIXPOINT_DATA: '/dev/null/below' }, 'FIXPOINT_DATA=/dev/null/below'],
    ['the address of another host', { HOST: '192.0.2.1' }, 'HOST=192.0.2.1'],
  ])('reports %s in one line, with exit code 1', async (_, env, named) => {
    const server = run({ PORT: '0', FIXPOINT_DATA: await temporaryFolder(), ...env });
    expect(await server.ended).toBe(1);
    expect(server.stdout).toEqual([]);
    expect(server.stderr).toHaveLength(1);
    expect(server.stderr[0]).toContain(named);
    expect(server.stderr[0]).not.toContain('canary');
  });

  test('reports a port in use in one line, with exit code 1, and writes nothing', async () => {
    const cloud = await testCloud();
    const { port } = new URL(cloud.url);
    const data = join(await temporaryFolder(), 'data');
    const server = run({ PORT: port, FIXPOINT_DATA: data });
    expect(await server.ended).toBe(1);
    expect(server.stderr).toEqual([expect.stringContaining(`port ${port} is in use`)]);
    await expect(stat(join(data, 'secrets.json'))).rejects.toThrow('ENOENT');
  });

  test.each(['fixpoint.sqlite', 'secrets.json'])(
    'reports a damaged %s in one line, with exit code 1',
    async (name) => {
      const data = await temporaryFolder();
      await writeFile(join(data, name), 'this is not what it was'.repeat(100));
      const server = run({ PORT: '0', FIXPOINT_DATA: data });
      expect(await server.ended).toBe(1);
      expect(server.stderr).toHaveLength(1);
    },
  );
});

interface Writer {
  /** Commits acknowledged so far. */
  readonly acknowledged: readonly { readonly key: string; readonly cid: string }[];
  readonly gone: Promise<void>;
}

/** Commits in sequence until the server is killed. */
function untilGone(client: Client, notes: Ledger, name: string): Writer {
  const acknowledged: { key: string; cid: string }[] = [];
  const write = async () => {
    for (let step = 0; ; step++) {
      const { key, entry, answer } = await commit(client, notes, `${name} ${step}`);
      if (answer.type !== 'resPutMeta') return;
      acknowledged.push({ key, cid: entry.cid });
    }
  };
  return { acknowledged, gone: write().catch(() => undefined) };
}

describe('kill -9 under load', () => {
  test(
    '[R14] loses no acknowledged meta or object, and lists no meta whose archive is absent',
    async () => {
      const { data, notes } = await arranged();
      const all: Writer['acknowledged'][] = [];
      const kills = budget({ commit: 10, night: 500, release: 1000 });
      for (let round = 0; round < kills; round += 1) {
        const server = run({ PORT: '0', FIXPOINT_DATA: data });
        const url = await server.ready;
        const clients = [
          await httpClient({ url }, notes),
          await socketClient({ url }, notes),
          await socketClient({ url }, notes),
        ];
        const writers = clients.map((client, index) => untilGone(client, notes, `${round}-${index}`));
        // Even the slowest writer has acknowledged commits by now.
        await expect
          .poll(() => Math.min(...writers.map(({ acknowledged }) => acknowledged.length)))
          .toBeGreaterThan(2);
        server.child.kill('SIGKILL');
        expect(await server.ended).toBe('SIGKILL');
        await Promise.all(writers.map(({ gone }) => gone));
        all.push(...writers.map(({ acknowledged }) => acknowledged));
      }
      const server = run({ PORT: '0', FIXPOINT_DATA: data });
      const reader = await httpClient({ url: await server.ready }, notes);
      const { meta } = await reader.request('bindGetMeta', about(notes, 'meta', 'GET'));
      const listed: string[] = meta.metas.map(({ cid }: { cid: string }) => cid);
      const download = async (key: string) => {
        const { signedUrl } = await reader.request('reqGetData', about(notes, 'car', 'GET', key));
        return (await fetch(signedUrl)).status;
      };
      expect(all.flat().length).toBeGreaterThanOrEqual(kills * 3 * 3);
      for (const { key } of all.flat()) expect(await download(key)).toBe(200);
      // The newest entry of each writer is the last acknowledged one, or the next one if it was
      // stored without an answer.
      expect(listed).toHaveLength(all.length);
      const behind = await tablesOf(data);
      const rows = await behind.db
        .selectFrom('Metas')
        .select(['cid', 'seq', 'entry'])
        .orderBy('seq')
        .execute();
      await behind.db.destroy();
      const stored = new Set(rows.map(({ cid }) => cid));
      expect(all.flat().filter(({ cid }) => !stored.has(cid))).toEqual([]);
      expect(rows.map(({ seq }) => seq)).toEqual(rows.map((_, index) => index + 1));
      for (const row of rows) {
        const text = Buffer.from(JSON.parse(row.entry).data.slice(1), 'base64').toString('latin1');
        for (const [, key = ''] of text.matchAll(/"\/":"([a-z0-9]+)"/g))
          expect(await download(key)).toBe(200);
      }
    },
    patienceMs(),
  );
});
