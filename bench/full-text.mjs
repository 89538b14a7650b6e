/**
 * Measures a full-text index in Node: build, open, searches and updates. Needs a build.
 *
 * `node bench/full-text.mjs [documents]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpoint } from '../packages/engine/dist/node/index.js';

const DOCUMENTS = Number(process.argv[2] ?? 100_000);
const VOCABULARY = 50_000;
const TITLE = 6;
const BODY = 40;
const BULK = 2000;
const REPEATS = 9;
const PUTS = 5;

/** Returns a generator of pseudo-random numbers from 0 to 1, the same in each run. */
function createRandom() {
  let state = 7;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

const random = createRandom();
const LETTERS = 'etaoinshrdlucmfwypvbgkjqxz';

function newWord(rank) {
  const length = 3 + Math.floor(random() * 8);
  const letters = Array.from({ length }, () => LETTERS[Math.floor(random() * random() * LETTERS.length)]);
  return letters.join('') + (rank % 7 === 0 ? 'é' : '');
}

const vocabulary = Array.from({ length: VOCABULARY }, (_, rank) => newWord(rank));
/** Frequent words are at the start of the vocabulary. */
const word = () => vocabulary[Math.min(VOCABULARY - 1, Math.floor(VOCABULARY ** random()) - 1)];
const text = (words) => Array.from({ length: words }, word).join(' ');
const newDocument = (n) => ({
  _id: `d${String(n).padStart(7, '0')}`,
  title: text(TITLE),
  body: text(BODY),
  n: n % BULK,
});

const directory = mkdtempSync(join(tmpdir(), 'fixpoint-full-text-'));
const open = (indexes) =>
  fixpoint('texts', { directory, durability: 'relaxed', ...(indexes && { indexes }) });
const INDEXES = [{ text: ['title', 'body'] }, 'n'];

async function timed(label, work) {
  const begun = performance.now();
  const result = await work();
  console.log(`${label}: ${(performance.now() - begun).toFixed(1)} ms`);
  return result;
}

async function searches(database) {
  const cases = {
    'rare word': { search: vocabulary[40_000] },
    'most frequent word': { search: vocabulary[0] },
    'two frequent words': { search: `${vocabulary[1]} ${vocabulary[2]}` },
    'one letter': { search: vocabulary[3].slice(0, 1) },
    'two letters': { search: vocabulary[3].slice(0, 2) },
    'a condition': { search: vocabulary[5], where: { not: { n: { ne: 7 } } } },
    'a condition on a field with an index': { search: vocabulary[5], where: { n: 7 } },
    'sorted by a field': { search: vocabulary[50], sort: { n: 'asc' } },
  };
  for (const [label, options] of Object.entries(cases)) {
    const times = [];
    for (let repeat = 0; repeat < REPEATS; repeat++) {
      const begun = performance.now();
      await database.find({ limit: 20, ...options });
      times.push(performance.now() - begun);
    }
    const [first] = times;
    const median = times.sort((a, b) => a - b)[Math.floor(REPEATS / 2)];
    console.log(`${label}: first ${first.toFixed(1)} ms, median ${median.toFixed(1)} ms`);
  }
}

let database = open();
await timed(`write ${DOCUMENTS} documents`, async () => {
  for (let from = 0; from < DOCUMENTS; from += BULK)
    await database.bulk(Array.from({ length: BULK }, (_, at) => newDocument(from + at)));
});
await database.close();
database = open(INDEXES);
await timed('build', () => database.find({ search: vocabulary[100], limit: 20 }));
await searches(database);
for (let put = 0; put < PUTS; put++) {
  await database.put(newDocument(put * BULK));
  await timed('search after a put', () => database.find({ search: vocabulary[100], limit: 20 }));
}
await timed('close', () => database.close());
for (let repeat = 0; repeat < 3; repeat++) {
  database = open(INDEXES);
  await timed('open, and get a document', () => database.get('d0000000'));
  await timed('first search', () => database.find({ search: vocabulary[40_000], limit: 20 }));
  await database.close();
}
rmSync(directory, { recursive: true });
