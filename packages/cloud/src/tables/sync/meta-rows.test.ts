import { describe, expect, onTestFinished, test } from 'vitest';
import { newLedger, tablesOf, temporaryFolder } from '../../../tests/cloud.fixture.ts';
import type { Db } from '../connection.ts';
import { testDatabaseUrl } from '../postgres.fixture.ts';
import { readMetas } from './meta-rows.ts';
import { putMetas } from './put-metas.ts';

const PROCESSES = 3;
const PUTS = 20;
const NOW = Date.UTC(2026, 10, 20);

/** Opens one ledger in several processes, or with SQLite, in only one process. */
async function arranged() {
  const folder = await temporaryFolder();
  const url = await testDatabaseUrl(folder);
  const count = url === undefined ? 1 : PROCESSES;
  const processes = await Promise.all(Array.from({ length: count }, () => tablesOf(folder, url)));
  onTestFinished(() => Promise.all(processes.map(({ db }) => db.destroy())).then(() => undefined));
  const [first] = processes;
  if (first === undefined) throw new Error('no process');
  const { tenant, ledger } = await newLedger(first);
  const dbs = Array.from({ length: PROCESSES }, (_, index) => (processes[index] ?? first).db);
  return { dbs, id: { tenant, ledger } };
}

const entry = (cid: string) => ({ cid, parents: [], data: `data of ${cid}` });

describe('a ledger to which several processes write at once', () => {
  test('[R14] numbers its metas without gaps, and stores them once when a put is repeated in another process', async () => {
    const { dbs, id } = await arranged();
    const put = (db: Db, writer: string) =>
      putMetas(db, id, writer, { metas: [entry(`of ${writer}`)], keys: ['zKey'] }, NOW);
    const writers = Array.from({ length: PUTS }, (_, index) => `w${index}`);
    const puts = writers.flatMap((writer) => dbs.map((db) => put(db, writer)));
    await Promise.all(puts);
    const [db] = dbs;
    if (db === undefined) throw new Error('no process');
    const rows = await db.selectFrom('Metas').select(['seq', 'cid']).orderBy('seq').execute();
    expect(rows.map(({ seq }) => seq)).toEqual(Array.from({ length: PUTS }, (_, index) => index + 1));
    expect(new Set(rows.map(({ cid }) => cid)).size).toBe(PUTS);
    expect((await readMetas(db, id, 0, 1000)).cursor).toBe(PUTS);
  });

  test('[R12] returns each meta once and in order to a reader that continues from its cursor during the puts', async () => {
    const { dbs, id } = await arranged();
    let isOver = false;
    const seen: number[] = [];
    const reading = (async () => {
      let cursor = 0;
      for (;;) {
        const isLast = isOver;
        const page = await readMetas(dbs[0] as Db, id, cursor, 7);
        seen.push(...page.rows.map(({ seq }) => seq));
        cursor = page.cursor;
        if (isLast && !page.hasMore) return;
        await new Promise((done) => setImmediate(done));
      }
    })();
    await Promise.all(
      dbs.map(async (db, process) => {
        for (let index = 0; index < PUTS; index += 1) {
          const writer = `w${process}-${index}`;
          await putMetas(db, id, writer, { metas: [entry(writer)], keys: [] }, NOW);
        }
      }),
    );
    isOver = true;
    await reading;
    expect(seen).toEqual(Array.from({ length: PUTS * PROCESSES }, (_, index) => index + 1));
  });
});
