/**
 * Golden data that no test reads proves nothing, so this file lists the tests of each golden file.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const FOLDER = fileURLToPath(new URL('../vectors/', import.meta.url));
/** A test: its file, and its whole title or the start of the title. */
type Reader = readonly [file: string, test: string];

const TAKEN_OVER: Reader = ['existing', 'imports its documents, deletions, head and files'];
const ARCHIVES: Reader = [
  'stores',
  'reads name, encryption, header and blocks of every archive, and writes an identical file',
];
const DOCUMENTS: Reader = ['stores', 'reads the documents of its head'];
const CHANGES: Reader = ['stores', 'lists the recorded changes, each with the recorded event'];
const SYNC: Reader = [
  'sync',
  'golden sync: writes every archive of both replicas and the remote again byte for byte',
];

/**
 * Lists the tests that read each kind of golden file. For files that are outputs of the format,
 * lists the tests that reproduce the file.
 */
const READERS: readonly (readonly [RegExp, ...Reader[]])[] = [
  [/^README\.md$/, ['coverage', 'lists a test for every file of the golden data']],
  [/^advance\.json$/, ['clock', 'advance: computes the recorded head for each event']],
  [/^merge\.json$/, ['clock', '[P1] %s: produces the recorded events, heads and roots']],
  [
    /^events\.json$/,
    ['clock', 'event %s: encodes the recorded bytes, CID and order of parents'],
    ['clock', 'creates the genesis commit that every database has'],
  ],
  [
    /^crypto\.json$/,
    ['crypto', 'golden sealing %i, %s: reproduces IV, cipher text, envelope, key id and CID'],
  ],
  [
    /^docs\.json$/,
    ['documents', '%s: encodes the recorded bytes and CID, and reads the recorded document'],
    ['documents', '%s: rejects the document (%s)'],
    ['files', '%s: encodes a document with Files as the recorded block and archive name'],
  ],
  [
    /^pail\.json$/,
    ['trie', '%s: computes every intermediate root, every new shard, and all keys at the end'],
    ['trie', 'rejects a key as a document id if the trie rejects the key'],
  ],
  [
    /^meta\.json$/,
    ['meta', 'reads archives, text and CID of an entry of %i archives and %i parents'],
    ['meta', 'reads equal archives and keys from envelopes of both versions'],
    ['meta', 'writes a key record unchanged'],
  ],
  [
    /^query\.json$/,
    ['query', '%s'],
    ['query', 'differs from the first implementation only where documented'],
  ],
  [/^db-[a-z]+\/expected\.json$/, ARCHIVES, DOCUMENTS, CHANGES, TAKEN_OVER],
  [
    /^db-small\/expected\.json$/,
    ['writing', 'golden history: creates the recorded head after each put, bulk and delete'],
    ['stores', 'golden store db-small: lists the changes since each clock in the recorded order'],
  ],
  [/^db-[^/]+\/(.+\/)?store\/[^/]+\/data\/baembei[a-z2-7]{52}\.car$/, ARCHIVES, TAKEN_OVER],
  [
    /^db-[^/]+\/(.+\/)?store\/[^/]+\/data\/baembei[a-z2-7]{52}$/,
    ARCHIVES,
    TAKEN_OVER,
    ['files', 'opens file archives of a stored database, finds the files by name'],
  ],
  [/^db-[^/]+\/(.+\/)?keybag\/_[a-z]+_data_\.json$/, TAKEN_OVER],
  [/^sync\/expected\.json$/, ['sync', 'golden sync: gives both replicas the same events'], SYNC],
  [/^sync\/[^/]+\/(store\/)?[^/]+\/data\/baembei[a-z2-7]{52}\.car$/, SYNC],
  [
    /^sync\/[AB]\/keybag\/_demosync_data_\.json$/,
    ['existing', 'golden sync: imports replica %s with both data keys'],
  ],
  [/^sync\/.+\/meta\/main\.json$/, SYNC],
  [
    /^db-.+\/meta\/main\.json$/,
    TAKEN_OVER,
    ['meta', 'writes the metas and queues of all golden stores unchanged'],
  ],
  [/\/wal\/main\.json$/, ['meta', 'writes the metas and queues of all golden stores unchanged']],
  [/\/version$/, ['meta', 'writes the metas and queues of all golden stores unchanged']],
  // The store has keys of these names, but no data is encrypted with them.
  [/\/keybag\/_[a-z]+_(meta|wal)_\.json$/, ['meta', 'writes a key record unchanged']],
  [/\/keybag\/_[a-z]+_(data|meta|wal)_idx_\.json$/, ['meta', 'writes a key record unchanged']],
];

const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ parentPath, name }) => relative(FOLDER, `${parentPath}/${name}`));

test('lists a test for every file of the golden data', () => {
  expect(files.length).toBeGreaterThan(250);
  expect(files.filter((file) => !READERS.some(([pattern]) => pattern.test(file)))).toEqual([]);
  const stale = READERS.filter(([pattern]) => !files.some((file) => pattern.test(file)));
  expect(stale.map(([pattern]) => String(pattern))).toEqual([]);
});

test('lists only tests that exist', () => {
  const readers = new Set(READERS.flatMap(([, ...tests]) => tests).map((reader) => reader.join('\n')));
  const absent = [...readers].filter((reader) => {
    const [file = '', name = ''] = reader.split('\n');
    return !readFileSync(new URL(`${file}.test.ts`, import.meta.url), 'utf8').includes(`'${name}`);
  });
  expect(absent).toEqual([]);
});

test('finds every folder and file of the first level in the README of the vectors', () => {
  const told = readFileSync(`${FOLDER}README.md`, 'utf8');
  for (const { name } of readdirSync(FOLDER, { withFileTypes: true }))
    if (name !== 'README.md') expect(told).toContain(`\`${name}`);
});
