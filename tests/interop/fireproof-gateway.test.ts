/**
 * Tests the gateway and the engine with the existing client, `@fireproof/core` 0.24.19 from npm.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { collection, type Database, fixpoint, type StoredFile, toCloud } from 'fixpoint';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import {
  type Ledger,
  newLedger,
  temporaryFolder,
  testCloud,
} from '../../packages/cloud/tests/cloud.fixture.ts';
import { budget } from '../../packages/engine/tests/budget.fixture.ts';

/** The quick budget skips slow tests that resemble others. */
const atNight = test.skipIf(budget({ commit: 0, night: 1, release: 1 }) === 0);

const script = fileURLToPath(new URL('./fireproof-peer.mjs', import.meta.url));

type Doc = {
  readonly _id: string;
  readonly value: number;
};

interface Task {
  readonly name: string;
  /** Folder of the client. By default, the client uses a new folder. */
  readonly folder?: string;
  readonly puts?: readonly Doc[];
  readonly bulk?: readonly Doc[];
  readonly deletes?: readonly string[];
  /** Documents to write, each with one file. */
  readonly attached?: readonly (Doc & { readonly file: string })[];
  /**
   * The id of a document whose file the client reads at the end. The client appends the result to
   * its output.
   */
  readonly read?: string;
  /** Whether the client appends its head to its output. */
  readonly tellHead?: boolean;
  /** Content that the client waits for before it prints its output. */
  readonly expected: readonly string[];
}

/** Runs an existing client. Returns its output. */
async function peer(url: string, { token }: Ledger, task: Task): Promise<string[]> {
  const folder = task.folder ?? (await temporaryFolder());
  const given = JSON.stringify({ ...task, folder, host: new URL(url).host, token });
  const env = { ...process.env, FP_KEYBAG_URL: `file://${folder}/keybag` };
  const child = spawn(process.execPath, [script, given], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return answerOf(child, task.name);
}

function answerOf(child: ChildProcess, name: string): Promise<string[]> {
  let failure = '';
  child.stderr?.on('data', (data) => {
    failure += data;
  });
  return new Promise((resolve, reject) => {
    if (child.stdout === null) return reject(new Error('no output'));
    createInterface({ input: child.stdout }).on('line', (line) => {
      if (line.startsWith('[')) resolve(JSON.parse(line));
    });
    child.once('close', (code) => reject(new Error(`${name} ended with ${code}: ${failure.slice(0, 2000)}`)));
  });
}

async function ours(url: string, { tenant, ledger, token }: Ledger, signed = false): Promise<Database> {
  const db = fixpoint('notes', { directory: await temporaryFolder(), signed });
  const attached = await db.attach(toCloud({ base: url, tenant, ledger, token }));
  onTestFinished(async () => {
    await attached.detach();
    await db.close();
  });
  return db;
}

const docsOf = (name: string, count: number, value = 0): Doc[] =>
  Array.from({ length: count }, (_, n) => ({ _id: `${name}-${String(n).padStart(3, '0')}`, value }));
const textsOf = (...docs: readonly Doc[]) => docs.map(({ _id, value }) => `${_id}: ${value}`).sort();
const shown = async (db: Database) => {
  const { rows } = await db.allDocs<{ value: number }>();
  return rows.map(({ key, value }) => `${key}: ${value.value}`).sort();
};
const expectShown = (db: Database, expected: readonly string[]) =>
  expect.poll(() => shown(db)).toEqual(expected);

describe('existing clients at the gateway', () => {
  test('[W1] converges two clients that write at the same time, and a client that joins late', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const [a, b] = [docsOf('a', 5), docsOf('b', 5)];
    const expected = textsOf(...a, ...b);
    const both = await Promise.all([
      peer(cloud.url, notes, { name: 'a', puts: a, expected }),
      peer(cloud.url, notes, { name: 'b', puts: b, expected }),
    ]);
    expect(both).toEqual([expected, expected]);
    expect(await peer(cloud.url, notes, { name: 'late', expected })).toEqual(expected);
  });

  test('[W1] converges two clients that write five hundred documents each, in bulk and at the same time', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const [a, b] = [docsOf('a', 500), docsOf('b', 500)];
    const expected = textsOf(...a, ...b);
    const both = await Promise.all([
      peer(cloud.url, notes, { name: 'a', bulk: a, expected }),
      peer(cloud.url, notes, { name: 'b', bulk: b, expected }),
    ]);
    expect(both).toEqual([expected, expected]);
  });
});

describe('an existing client and our engine on one ledger', () => {
  test.each([false, true])(
    '[P1] converges simultaneous writes of both clients (signed: %s)',
    async (signed) => {
      const cloud = await testCloud();
      const notes = await newLedger(cloud);
      const [mine, theirs] = [docsOf('ours', 5), docsOf('theirs', 5)];
      const expected = textsOf(...mine, ...theirs);
      const db = await ours(cloud.url, notes, signed);
      const existing = peer(cloud.url, notes, { name: 'theirs', puts: theirs, expected });
      for (const doc of mine) await db.put(doc);
      expect(await existing).toEqual(expected);
      await expectShown(db, expected);
      // The events of the existing client have no signature.
      const signatureOf = async (id = '') => (await db.history(id))[0]?.signature;
      const signatures = [await signatureOf(mine[0]?._id), await signatureOf(theirs[0]?._id)];
      expect(signatures).toEqual([signed ? 'valid' : undefined, undefined]);
    },
  );

  atNight('[P1] converges a thousand documents, written in bulk on both sides', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const [mine, theirs] = [docsOf('ours', 500), docsOf('theirs', 500)];
    const expected = textsOf(...mine, ...theirs);
    const db = await ours(cloud.url, notes);
    await db.bulk(mine);
    const existing = await peer(cloud.url, notes, { name: 'theirs', bulk: theirs, tellHead: true, expected });
    expect(existing.slice(0, 1000)).toEqual(expected);
    await expectShown(db, expected);
    await expect.poll(() => db.head()).toEqual(existing.slice(1000));
  });

  test('shows a document that our engine merged instead of one of two concurrent versions', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const counters = collection('counters', {
      schema: z.object({ value: z.number() }),
      merge: (_, ours, theirs) => ({ value: ours.value + theirs.value }),
    });
    const directory = await temporaryFolder();
    const db = fixpoint('notes', { directory, collections: { counters } });
    onTestFinished(() => db.close());
    const { tenant, ledger, token } = notes;
    const attach = () => db.attach(toCloud({ base: cloud.url, tenant, ledger, token }));
    const first = await attach();
    await db.counters.put({ _id: 'x', value: 1 });
    await first.synced();
    await first.detach();
    await db.counters.put({ _id: 'x', value: 100 });
    const puts = [{ _id: 'counters/x', value: 11 }];
    const expected = ['counters/x: 111'];
    const existing = peer(cloud.url, notes, { name: 'theirs', puts, expected, tellHead: true });
    const late = peer(cloud.url, notes, { name: 'late', expected: ['counters/x: 11'] });
    expect(await late).toEqual(['counters/x: 11']);
    const again = await attach();
    onTestFinished(() => again.detach());
    expect((await existing).slice(0, 1)).toEqual(expected);
    expect(await db.counters.get('x')).toMatchObject({ value: 111 });
    expect(await existing).toEqual([...expected, ...(await db.head())]);
    expect(await peer(cloud.url, notes, { name: 'later', expected })).toEqual(expected);
  });

  test('[P3] syncs writes, changes and deletes in both directions', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const first = docsOf('doc', 4);
    const folder = await temporaryFolder();
    const wrote = await peer(cloud.url, notes, {
      name: 'peer',
      folder,
      bulk: first,
      expected: textsOf(...first),
    });
    expect(wrote).toEqual(textsOf(...first));

    const db = await ours(cloud.url, notes);
    await expectShown(db, textsOf(...first));
    await db.put({ _id: 'doc-000', value: 1 });
    await db.del('doc-001');
    const changed = [{ _id: 'doc-000', value: 1 }, ...first.slice(2)];
    expect(await peer(cloud.url, notes, { name: 'second', expected: textsOf(...changed) })).toEqual(
      textsOf(...changed),
    );

    const last = [
      { _id: 'doc-000', value: 1 },
      { _id: 'doc-003', value: 2 },
    ];
    const theirs = await peer(cloud.url, notes, {
      name: 'third',
      deletes: ['doc-002'],
      puts: [{ _id: 'doc-003', value: 2 }],
      expected: textsOf(...last),
    });
    expect(theirs).toEqual(textsOf(...last));
    await expectShown(db, textsOf(...last));
  });

  test('syncs file entries, although the client neither sends file contents nor fetches those of Fixpoint', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const db = await ours(cloud.url, notes);
    const theirs = { _id: 'theirs', value: 1 };
    const wrote = await peer(cloud.url, notes, {
      name: 'writer',
      attached: [{ ...theirs, file: 'of theirs' }],
      read: 'theirs',
      expected: textsOf(theirs),
    });
    expect(wrote).toEqual([...textsOf(theirs), 'file: of theirs']);
    await expectShown(db, textsOf(theirs));
    const entry = (await db.get<{ _files: Record<string, StoredFile> }>('theirs'))._files['it'];
    expect(entry).toMatchObject({ size: 9, type: 'text/plain' });
    await expect(entry?.file()).rejects.toMatchObject({ code: 'MISSING_CARS' });

    // A change to the document must keep the file entry, although the file is unreadable.
    await db.put({ ...(await db.get('theirs')), value: 2 });
    await db.put({
      _id: 'ours',
      value: 1,
      _files: { it: new File(['of ours'], 'it', { type: 'text/plain' }) },
    });
    const all = textsOf({ _id: 'ours', value: 1 }, { _id: 'theirs', value: 2 });
    const read = await peer(cloud.url, notes, { name: 'reader', read: 'ours', expected: all });
    expect(read.slice(0, -1)).toEqual(all);
    expect(read.at(-1)).toMatch(/^no file: .*car not ready/);
  });

  test('[P1] lets the client read and write a ledger whose history our engine compacted', async () => {
    const cloud = await testCloud();
    const notes = await newLedger(cloud);
    const db = fixpoint('notes', { directory: await temporaryFolder(), history: { commits: 2 } });
    onTestFinished(() => db.close());
    for (let round = 0; round < 12; round++) await db.bulk(docsOf('doc', 4, round));
    await db.del('doc-003');
    await db.compact();
    expect((await db.changes()).rows).toHaveLength(4);
    const attached = await db.attach(toCloud({ base: cloud.url, ...notes }));
    await attached.synced();
    await db.compact();
    const first = docsOf('doc', 3, 11);
    expect(await peer(cloud.url, notes, { name: 'reader', expected: textsOf(...first) })).toEqual(
      textsOf(...first),
    );
    const changed = [{ _id: 'doc-000', value: 20 }, ...first.slice(1)];
    await peer(cloud.url, notes, {
      name: 'writer',
      puts: changed.slice(0, 1),
      expected: textsOf(...changed),
    });
    await expectShown(db, textsOf(...changed));
  });

  atNight(
    '[R11] lets the client read and write a ledger during and after a merge of archives by the engine',
    async () => {
      const cloud = await testCloud();
      const notes = await newLedger(cloud);
      const db = fixpoint('notes', { directory: await temporaryFolder() });
      onTestFinished(() => db.close());
      const attached = await db.attach(toCloud({ base: cloud.url, ...notes }));
      await attached.synced();
      const uploads = 110;
      const last = docsOf('doc', 5).map((doc, n) => ({ ...doc, value: uploads - 5 + n }));
      const present = peer(cloud.url, notes, { name: 'present', expected: textsOf(...last) });
      for (let value = 0; value < uploads; value++) {
        await db.put({ _id: `doc-00${value % 5}`, value });
        await attached.synced();
      }
      expect(await present).toEqual(textsOf(...last));
      const late = await peer(cloud.url, notes, { name: 'late', expected: textsOf(...last) });
      expect(late).toEqual(textsOf(...last));
      const changed = [{ _id: 'doc-000', value: 900 }, ...last.slice(1)];
      await peer(cloud.url, notes, {
        name: 'writer',
        puts: changed.slice(0, 1),
        expected: textsOf(...changed),
      });
      await expectShown(db, textsOf(...changed));
    },
  );
});
