/**
 * Passes values that the types don't allow. Applications that are written in JavaScript, or that
 * parse JSON, could pass such values.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isFixpointError } from '@fixpoint/protocol';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { rowsOf } from '../src/database/database-rows.ts';
import { openDatabase } from '../src/database/open.ts';
import { verifyProof } from '../src/database/past/proofs.ts';
import { GENESIS_KEY } from '../src/documents/genesis.ts';
import { fixpoint as fixpointOfBrowser } from '../src/entries/index.ts';
import { fixpoint } from '../src/entries/node.ts';
import { memoryPlatform } from './memory-platform.fixture.ts';

const NO_CIDS: readonly unknown[] = ['garbage', '', 5, null, undefined, {}, ['b']];
const NO_HEADS: readonly unknown[] = [null, 5, 'garbage', {}, ...NO_CIDS.map((cid) => [cid])];
const NO_OBJECTS: readonly unknown[] = [null, 5, 'limit', true];
const NO_COUNTS: readonly unknown[] = [-1, 1.5, Number.NaN, Number.NEGATIVE_INFINITY, '3', null, {}, 3n];

const { platform } = memoryPlatform();
const db = openDatabase('asked', platform);
const filled = db.bulk([{ _id: 'a', n: 1 }, { _id: 'b' }]);
afterAll(() => db.destroy());

async function codeOf(work: () => unknown): Promise<string> {
  try {
    await work();
    return 'nothing was refused';
  } catch (error) {
    return isFixpointError(error) ? error.code : String(error);
  }
}

/** Makes each call with each wrong value. Expects each call to reject with the code. */
async function expectAll(
  code: string,
  values: readonly unknown[],
  ways: Record<string, (value: never) => unknown>,
): Promise<void> {
  await filled;
  for (const [way, ask] of Object.entries(ways))
    for (const value of values) {
      const what = `${way}: ${Array.isArray(value) ? 'array of ' : ''}${typeof value} ${String(value)}`;
      expect([what, await codeOf(() => ask(value as never))]).toEqual([what, code]);
    }
  // The database is unchanged.
  expect((await db.allDocs()).rows.map(({ key }) => key)).toEqual(['a', 'b']);
}

const first = async <T>(parts: AsyncIterable<T>): Promise<unknown> => parts[Symbol.asyncIterator]().next();

describe('a call with an invalid value', () => {
  test('rejects invalid heads', async () => {
    await expectAll('HEAD_INVALID', NO_HEADS, {
      at: (head) => db.at(head),
      'diff, before': async (head) => db.diff(head, await db.head()),
      'diff, after': async (head) => db.diff(await db.head(), head),
      restore: (head) => db.restore('a', head),
    });
    const given = NO_HEADS.filter((head) => head !== undefined);
    await expectAll('HEAD_INVALID', given, {
      changes: (head) => db.changes(head),
      prove: (head) => db.prove('a', head),
    });
  });

  test('rejects the CID of a document as a head', async () => {
    const { blocks } = await filled.then(() => db.prove('a'));
    const raw = `bafkrei${'a'.repeat(52)}`;
    await expectAll('HEAD_INVALID', [[raw]], { at: (head) => db.at(head) });
    expect(blocks.length).toBeGreaterThan(1);
  });

  test('rejects an invalid event as the option `after`', async () => {
    const events = NO_CIDS.filter((cid) => cid !== undefined);
    await expectAll('HEAD_INVALID', events, {
      history: (after) => db.history('a', { after }),
      events: (after) => db.events({ after }),
    });
  });

  test('rejects invalid heads when a proof is verified', async () => {
    const proof = await filled.then(() => db.prove('a'));
    await expectAll('PROOF_INVALID', NO_HEADS, {
      verifyProof: (head) => verifyProof(proof, head, 'a'),
      'its own head': (head) => verifyProof({ ...proof, head }, proof.head, 'a'),
    });
  });

  test('rejects options that are not an object', async () => {
    await expectAll('QUERY_INVALID', NO_OBJECTS, {
      allDocs: (options) => db.allDocs(options),
      query: (options) => db.query('n', options),
      changes: (options) => db.changes([], options),
      history: (options) => db.history('a', options),
      events: (options) => db.events(options),
      'allDocs of the past': async (options) => db.at(await db.head()).allDocs(options),
      'query of the past': async (options) => db.at(await db.head()).query('n', options),
    });
  });

  test('rejects invalid limits, offsets and batch sizes', async () => {
    await expectAll('QUERY_INVALID', NO_COUNTS, {
      allDocs: (limit) => db.allDocs({ limit }),
      query: (limit) => db.query('n', { limit }),
      changes: (limit) => db.changes([], { limit }),
      history: (limit) => db.history('a', { limit }),
      events: (limit) => db.events({ limit }),
      'query of the past': async (limit) => db.at(await db.head()).query('n', { limit }),
      'offset of a window': (offset) => rowsOf(db).window({ offset }),
      'batches of a scan': (batch) => first(rowsOf(db).scan({ batch })),
    });
  });

  test('rejects progress callbacks that are not functions', async () => {
    await expectAll('QUERY_INVALID', [null, 5, 'text', {}, []], {
      verify: (onProgress) => db.verify({ onProgress }),
      find: (onProgress) => first(rowsOf(db).find({ onProgress })),
      map: (onProgress) => first(rowsOf(db).map('n', { onProgress })),
    });
  });

  test('rejects invalid ranges, prefixes and lists of ids', async () => {
    const ranges = [5, 'ab', null, [], ['a'], ['a', 'b', 'c'], ['a', 5], [null, 'b'], [{}, 'b']];
    await expectAll('QUERY_INVALID', ranges, {
      allDocs: (range) => db.allDocs({ range }),
      'allDocs of the past': async (range) => db.at(await db.head()).allDocs({ range }),
      scan: (range) => first(rowsOf(db).scan({ range })),
    });
    await expectAll('QUERY_INVALID', [5, {}, ['a'], true], {
      allDocs: (prefix) => db.allDocs({ prefix }),
      scan: (prefix) => first(rowsOf(db).scan({ prefix })),
    });
    await expectAll('QUERY_INVALID', [5, 'ab', {}, null, new Set(['a'])], {
      allDocs: (keys) => db.allDocs({ keys }),
      query: (keys) => db.query('n', { keys }),
    });
    await expectAll('KEY_INVALID', [[5], [{}], ['ä']], { allDocs: (keys) => db.allDocs({ keys }) });
    await expectAll('DOC_ID_REQUIRED', [[''], [null], [undefined]], {
      allDocs: (keys) => db.allDocs({ keys }),
    });
  });

  test('rejects values that are not documents or lists of documents', async () => {
    await expectAll('DOC_INVALID', [null, undefined, 5, 'text', {}, new Set([{ _id: 'c' }])], {
      bulk: (docs) => db.bulk(docs),
    });
    await expectAll('DOC_INVALID', [null, undefined, 5, 'text', [], () => 1, new Map()], {
      put: (doc) => db.put(doc),
      bulk: (doc) => db.bulk([{ _id: 'c' }, doc]),
    });
    await expectAll('QUERY_INVALID', [...NO_OBJECTS, ...['a', null, {}].map((del) => ({ del }))], {
      bulk: (options) => db.bulk([{ _id: 'c' }], options),
    });
    await expectAll('KEY_INVALID', [5, {}, 'ä', GENESIS_KEY], {
      'bulk, del': (id) => db.bulk([{ _id: 'c' }], { del: ['a', id] }),
    });
  });

  test('rejects invalid amounts of history to keep', async () => {
    await expectAll('CONFIG_INVALID', [null, 5, 'none', {}, ...NO_COUNTS.map((commits) => ({ commits }))], {
      history: (history) => openDatabase('kept', platform, { history }),
    });
  });

  test('rejects invalid names, storages and folders of databases', async () => {
    await expectAll('MISSING_NAME', ['', null, undefined, 5, {}], {
      openDatabase: (name) => openDatabase(name, platform),
    });
    await expectAll('CONFIG_INVALID', ['Memory', '', null, true], {
      storage: (storage) => openDatabase('kept', platform, { storage }),
    });
    await expectAll('CONFIG_INVALID', [null, 5, {}, []], {
      directory: (directory) => fixpoint('kept', { directory }),
    });
  });

  test('rejects unknown options, such as a misspelled passphrase', async () => {
    await expectAll('CONFIG_INVALID', ['passPhrase', 'directoy', 'toString'], {
      openDatabase: (name) => openDatabase('kept', platform, { [name as string]: 'x' }),
    });
  });

  test('rejects invalid passphrases', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fixpoint-asked-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const kept = fixpoint('kept', { directory });
    await kept.put({ _id: 'a' });
    const none = ['', null, 5, Number.NaN, {}, ['right']];
    await expectAll('CONFIG_INVALID', none, {
      'of an opening': (passphrase) => fixpoint('kept', { directory, passphrase }),
      'a new one': (passphrase) => kept.changePassphrase(passphrase),
    });
    await kept.close();
    vi.stubEnv('FIXPOINT_PASSPHRASE', '');
    onTestFinished(() => void vi.unstubAllEnvs());
    const again = fixpoint('kept', { directory });
    expect(await again.get('a')).toEqual({ _id: 'a' });
    await again.close();
  });

  test('rejects a passphrase in a browser, where a passphrase would not protect the data', () => {
    const refused = expect.objectContaining({ code: 'NOT_IMPLEMENTED' });
    expect(() => fixpointOfBrowser('kept', { passphrase: 'right' })).toThrow(refused);
  });

  test('rejects listeners that are not functions', async () => {
    await expectAll('REQUEST_INVALID', [null, undefined, 5, 'listener', {}], {
      subscribe: (listener) => db.subscribe(listener),
      onClosed: (listener) => db.onClosed(listener),
    });
  });

  test('reports MAP_FAILED when a map function throws a value that can’t be converted to text', async () => {
    const hostile = { toString: () => ({}), valueOf: () => ({}) };
    await expectAll(
      'MAP_FAILED',
      [Object.create(null), hostile, Symbol('s'), undefined].map((thrown) => () => thrown),
      {
        query: (thrown: () => unknown) =>
          db.query(() => {
            throw thrown();
          }),
      },
    );
  });

  test('rejects values that are not remotes', async () => {
    await expectAll('REQUEST_INVALID', [null, undefined, 5, 'http://localhost', {}, { attach: true }], {
      attach: (remote) => db.attach(remote),
    });
  });

  test('rejects invalid numbers of archives to keep in memory', async () => {
    await expectAll('CONFIG_INVALID', [0, ...NO_COUNTS], {
      archivesKept: (archivesKept) => openDatabase('kept', platform, { archivesKept }),
    });
  });

  test('rejects values of commitEachWrite that are not booleans', async () => {
    await expectAll('CONFIG_INVALID', [null, 0, 1, '', 'false', {}], {
      commitEachWrite: (commitEachWrite) => openDatabase('each', platform, { commitEachWrite }),
    });
  });

  test('rejects values of stamps that are not booleans', async () => {
    await expectAll('CONFIG_INVALID', [null, 0, 1, '', 'false', {}], {
      stamps: (stamps) => openDatabase('stamped', platform, { stamps }),
    });
  });
});
