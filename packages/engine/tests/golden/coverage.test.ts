/**
 * Golden data that no test reads proves nothing. So every golden file must have a test named here.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../vectors/', import.meta.url));
/** A test's file, and its whole title or the start of it. */
type Reader = readonly [file: string, test: string];

const TAKEN_OVER: Reader = ['existing', 'imports its documents, deletions, head and files'];
const ARCHIVES: Reader = [
  'stores',
  'reads name, seal, header and blocks of every archive, and writes the same file again',
];
const DOCUMENTS: Reader = ['stores', 'reads the documents of its head'];
const CHANGES: Reader = ['stores', 'lists all changes with the same keys, each by the same event'];
const SYNC: Reader = [
  'sync',
  'golden sync: writes every archive of both replicas and the remote again byte for byte',
];

/** For each kind of file, the tests that read it and, for outputs of the format, reproduce it. */
const READERS: readonly (readonly [RegExp, ...Reader[]])[] = [
  [/^README\.md$/, ['coverage', 'names a test for every file of the golden data']],
  [/^advance\.json$/, ['clock', 'advance: computes every new head']],
  [/^merge\.json$/, ['clock', '[P1] %s: produces the same events, heads and roots from the same steps']],
  [
    /^events\.json$/,
    ['clock', 'event %s: encodes the same bytes, CID and order of parents'],
    ['clock', 'creates the genesis commit that every database has'],
  ],
  [
    /^crypto\.json$/,
    ['crypto', 'golden sealing %i, %s: reproduces IV, cipher text, envelope, key id and CID'],
  ],
  [
    /^docs\.json$/,
    ['documents', '%s: encodes the same bytes and CID, and reads the same document'],
    ['documents', '%s: rejects it (%s)'],
    ['files', '%s: encodes a document with Files as the same block, so its archive has the same name'],
  ],
  [
    /^pail\.json$/,
    ['trie', '%s: computes every intermediate root, every new shard, and all keys at the end'],
    ['trie', 'rejects keys as ids that the trie rejects'],
  ],
  [
    /^meta\.json$/,
    ['meta', 'reads archives, text and CID of an entry of %i archives and %i parents'],
    ['meta', 'reads the same archives and keys from envelopes of both versions'],
    ['meta', 'writes a key record as it was read'],
  ],
  [/^query\.json$/, ['query', '%s'], ['query', 'differs from the first implementation only on purpose']],
  [/^db-[a-z]+\/expected\.json$/, ARCHIVES, DOCUMENTS, CHANGES, TAKEN_OVER],
  [
    /^db-small\/expected\.json$/,
    ['writing', 'golden history: creates the same head after each put, bulk and delete'],
    ['stores', 'golden store db-small: lists changes since each clock in the same order'],
  ],
  [/^db-[^/]+\/(.+\/)?store\/[^/]+\/data\/baembei[a-z2-7]{52}\.car$/, ARCHIVES, TAKEN_OVER],
  [
    /^db-[^/]+\/(.+\/)?store\/[^/]+\/data\/baembei[a-z2-7]{52}$/,
    ARCHIVES,
    TAKEN_OVER,
    ['files', 'opens file archives of a stored database, finds the named files'],
  ],
  [/^db-[^/]+\/(.+\/)?keybag\/_[a-z]+_data_\.json$/, TAKEN_OVER],
  [/^sync\/expected\.json$/, ['sync', 'golden sync: gives both replicas the same events'], SYNC],
  [/^sync\/[^/]+\/(store\/)?[^/]+\/data\/baembei[a-z2-7]{52}\.car$/, SYNC],
  [
    /^sync\/[AB]\/keybag\/_demosync_data_\.json$/,
    ['existing', 'golden sync: imports replica %s with the keys of both'],
  ],
  [/^sync\/.+\/meta\/main\.json$/, SYNC],
  [
    /^db-.+\/meta\/main\.json$/,
    TAKEN_OVER,
    ['meta', 'writes metas and queues of all golden stores as they were read'],
  ],
  [/\/wal\/main\.json$/, ['meta', 'writes metas and queues of all golden stores as they were read']],
  [/\/version$/, ['meta', 'writes metas and queues of all golden stores as they were read']],
  // Keys of these names exist, but nothing is encrypted with them.
  [/\/keybag\/_[a-z]+_(meta|wal)_\.json$/, ['meta', 'writes a key record as it was read']],
  [/\/keybag\/_[a-z]+_(data|meta|wal)_idx_\.json$/, ['meta', 'writes a key record as it was read']],
];

const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(FOLDER, `${parentPath}/${name}`));

test('names a test for every file of the golden data', () => {
  expect(files.length).toBeGreaterThan(250);
  expect(files.filter((file) => !READERS.some(([pattern]) => pattern.test(file)))).toEqual([]);
  const stale = READERS.filter(([pattern]) => !files.some((file) => pattern.test(file)));
  expect(stale.map(([pattern]) => String(pattern))).toEqual([]);
});

test('names only tests that exist', () => {
  const readers = new Set(READERS.flatMap(([, ...tests]) => tests).map((reader) => reader.join('\n')));
  const absent = [...readers].filter((reader) => {
    const [file = '', name = ''] = reader.split('\n');
    return !readFileSync(new URL(`${file}.test.ts`, import.meta.url), 'utf8').includes(`'${name}`);
  });
  expect(absent).toEqual([]);
});

test('finds every folder and file of the first level in the README', () => {
  const told = readFileSync(`${FOLDER}README.md`, 'utf8');
  for (const { name } of readdirSync(FOLDER, { withFileTypes: true }))
    if (name !== 'README.md') expect(told).toContain(`\`${name}`);
});
