/** Golden data that no test reads proves nothing: each file names the tests that read it, and a file without one fails here. */
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../vectors/', import.meta.url));
/** The whole of a test's name, or how it begins where the rest is that of the vector. */
type Reader = readonly [file: string, test: string];

const TAKEN_OVER: Reader = ['existing', 'it is taken over with its documents, deletions, head and files'];
const ARCHIVES: Reader = [
  'stores',
  'every archive: name, seal, header and blocks; written again, it is the same file',
];
const DOCUMENTS: Reader = ['stores', 'the documents of its head'];
const CHANGES: Reader = ['stores', 'all changes: the same keys, each by the same event'];
const SYNC: Reader = [
  'sync',
  'golden sync: every archive of both replicas and of the remote is written again byte for byte',
];

/** For each kind of file: who reads it and, where it is an output of the format, makes it again. */
const READERS: readonly (readonly [RegExp, ...Reader[]])[] = [
  [/^README\.md$/, ['coverage', 'every file of the golden data is told of']],
  [/^advance\.json$/, ['clock', 'advance: every new head']],
  [
    /^merge\.json$/,
    ['clock', '[P1] %s: replicas that do the same steps have the same events, heads and roots'],
  ],
  [
    /^events\.json$/,
    ['clock', 'event %s: bytes, CID and the order of parents'],
    ['clock', 'the genesis commit is the one that every database has'],
  ],
  [/^crypto\.json$/, ['crypto', 'golden sealing %i, %s: IV, cipher text, envelope, key id and CID']],
  [
    /^docs\.json$/,
    ['documents', '%s: bytes, CID and what is read back'],
    ['documents', '%s is refused: %s'],
    ['files', '%s: a document with Files becomes the same block, so its archive has the same name'],
  ],
  [
    /^pail\.json$/,
    ['trie', '%s: every root on the way, every new shard, all keys at the end'],
    ['trie', 'keys that the trie refuses are refused as ids'],
  ],
  [
    /^meta\.json$/,
    ['meta', 'an entry of %i archives and %i parents: its archives, its text and its CID'],
    ['meta', 'envelopes of both versions name the same archives, and the keys that were used'],
    ['meta', 'a key record is written again as it was read'],
  ],
  [/^query\.json$/, ['query', '%s'], ['query', 'what is answered otherwise, on purpose']],
  [/^db-[a-z]+\/expected\.json$/, ARCHIVES, DOCUMENTS, CHANGES, TAKEN_OVER],
  [
    /^db-small\/expected\.json$/,
    ['writing', 'golden history: the same puts, bulks and deletes make the same head after each'],
    ['stores', 'golden store db-small: changes since each clock, in the same order'],
  ],
  [/^db-[^/]+\/(.+\/)?store\/[^/]+\/data\/baembei[a-z2-7]{52}\.car$/, ARCHIVES, TAKEN_OVER],
  [
    /^db-[^/]+\/(.+\/)?store\/[^/]+\/data\/baembei[a-z2-7]{52}$/,
    ARCHIVES,
    TAKEN_OVER,
    ['files', 'file archives of a stored database open, hold what the documents name'],
  ],
  [/^db-[^/]+\/(.+\/)?keybag\/_[a-z]+_data_\.json$/, TAKEN_OVER],
  [
    /^sync\/expected\.json$/,
    ['sync', 'golden sync: the same writes and attaches give both replicas the same events'],
    SYNC,
  ],
  [/^sync\/[^/]+\/(store\/)?[^/]+\/data\/baembei[a-z2-7]{52}\.car$/, SYNC],
  [
    /^sync\/[AB]\/keybag\/_demosync_data_\.json$/,
    ['existing', 'golden sync: replica %s is taken over, with the keys of both'],
  ],
  [/^sync\/.+\/meta\/main\.json$/, SYNC],
  [
    /^db-.+\/meta\/main\.json$/,
    TAKEN_OVER,
    ['meta', 'metas and queues of all golden stores are written again as they were read'],
  ],
  [
    /\/wal\/main\.json$/,
    ['meta', 'metas and queues of all golden stores are written again as they were read'],
  ],
  [/\/version$/, ['meta', 'metas and queues of all golden stores are written again as they were read']],
  // Keys of these names exist, and nothing is encrypted with them.
  [/\/keybag\/_[a-z]+_(meta|wal)_\.json$/, ['meta', 'a key record is written again as it was read']],
  [/\/keybag\/_[a-z]+_(data|meta|wal)_idx_\.json$/, ['meta', 'a key record is written again as it was read']],
];

const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(FOLDER, `${parentPath}/${name}`));

test('every file of the golden data is told of', () => {
  expect(files.length).toBeGreaterThan(250);
  expect(files.filter((file) => !READERS.some(([pattern]) => pattern.test(file)))).toEqual([]);
  const stale = READERS.filter(([pattern]) => !files.some((file) => pattern.test(file)));
  expect(stale.map(([pattern]) => String(pattern))).toEqual([]);
});

test('the tests that are named are there', () => {
  const readers = new Set(READERS.flatMap(([, ...tests]) => tests).map((reader) => reader.join('\n')));
  const absent = [...readers].filter((reader) => {
    const [file = '', name = ''] = reader.split('\n');
    return !readFileSync(new URL(`${file}.test.ts`, import.meta.url), 'utf8').includes(`'${name}`);
  });
  expect(absent).toEqual([]);
});

test('the list of what there is names every folder and every file of the first level', () => {
  const told = readFileSync(`${FOLDER}README.md`, 'utf8');
  for (const { name } of readdirSync(FOLDER, { withFileTypes: true }))
    if (name !== 'README.md') expect(told).toContain(`\`${name}`);
});
