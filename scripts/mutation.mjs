/**
 * `node scripts/mutation.mjs`: changes the critical code, which is the code that could lose or leak
 * data, and reports the changes that no test notices (R19). For each change, runs only the tests of
 * its part of the code (see scripts/mutation/rooms.mjs), in a separate process. Tests notice a
 * change if they fail or never finish.
 *
 * Tests must notice all `[--known 20]` hand-written changes, and 95% of the `[--sample 200]`
 * changes that the seed chooses. Other options: `[--room clock]` `[--seed 1]` `[--jobs 2]`.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { KNOWN } from './mutation/known.mjs';
import { mutantsOf, sampleOf } from './mutation/mutate.mjs';
import { filesOf, ROOMS } from './mutation/rooms.mjs';
import { bin, root } from './ready.mjs';

process.chdir(root);
const running = new Set();
process.on('exit', () => {
  for (const { pid } of running) process.kill(-pid, 'SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130));

const SHARE_NOTICED = 0.95;
const HUNG_MS = 240_000;

const { values } = parseArgs({
  options: {
    known: { type: 'string' },
    sample: { type: 'string', default: '0' },
    room: { type: 'string' },
    seed: { type: 'string', default: '1' },
    jobs: { type: 'string', default: String(Math.max(1, Math.floor(availableParallelism() / 2))) },
  },
});

const rooms = ROOMS.filter(({ name }) => values.room === undefined || name === values.room);
const roomOf = (path) => rooms.find(({ files }) => files.test(path));

/**
 * Runs tests, with one change to the code if `mutant` is given. Returns whether all of them passed.
 */
function passes(tests, mutant) {
  const { path, start, end, text } = mutant ?? {};
  const json = mutant && JSON.stringify({ path: join(root, path), start, end, text });
  // Removes the variables of Vitest, in case a test started this script.
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|FIXPOINT_)/.test(name)),
  );
  const child = spawn(bin('vitest'), ['run', ...tests, '--bail=1', '--maxWorkers=1', '--reporter=dot'], {
    cwd: root,
    env: { ...env, NODE_ENV: 'test', FIXPOINT_SHARE: '0.05', ...(json && { FIXPOINT_MUTANT: json }) },
    stdio: 'ignore',
    detached: true,
  });
  running.add(child);
  return new Promise((resolve) => {
    const hung = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), HUNG_MS);
    child.once('close', (code) => {
      clearTimeout(hung);
      running.delete(child);
      resolve(code === 0);
    });
  });
}

/**
 * Maps a list of test files to whether these tests pass on unchanged code. Tests that always fail
 * can't notice a change.
 */
const sound = new Map();
async function requireSound(tests) {
  const name = tests.join(' ');
  if (!sound.has(name)) sound.set(name, passes(tests));
  if (!(await sound.get(name))) throw new Error(`these tests fail without any change: ${name}`);
}

/**
 * Runs the test file next to the changed file first, then the tests of its room, quick tests first.
 * The first run notices most changes.
 */
async function isNoticed(mutant) {
  const beside = mutant.path.replace(/\.ts$/, '.test.ts');
  const all = [...(existsSync(join(root, beside)) ? [[beside]] : []), ...roomOf(mutant.path).tests];
  for (const tests of all) {
    if (await passes(tests, mutant)) continue;
    await requireSound(tests);
    return true;
  }
  return false;
}

const sayOf = ({ path, line, what }) => `${path}:${line} ${what}`;
const say = (text) => process.stdout.write(`${text}\n`);

/** Returns the changes that no test notices. */
async function unnoticed(mutants) {
  const waiting = [...mutants];
  const left = [];
  const worker = async () => {
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const noticed = await isNoticed(mutant);
      if (!noticed) left.push(mutant);
      say(`${noticed ? 'noticed  ' : 'UNNOTICED'} ${sayOf(mutant)}`);
    }
  };
  await Promise.all(Array.from({ length: Number(values.jobs) }, worker));
  return left;
}

/**
 * Finds all hand-written changes in the code, even if only a few of them are tried. This fails if
 * the text of a change is no longer in the code.
 */
const known = KNOWN.filter(({ path }) => roomOf(path) !== undefined)
  .map(({ path, find, instead }) => {
    const code = readFileSync(join(root, path), 'utf8');
    const start = code.indexOf(find);
    if (start === -1 || code.indexOf(find, start + 1) !== -1)
      throw new Error(`${path} must contain this text exactly once: ${find}`);
    const line = code.slice(0, start).split('\n').length;
    return { path, start, end: start + find.length, text: instead, line, what: `${find} -> ${instead}` };
  })
  .slice(0, values.known === undefined ? KNOWN.length : Number(values.known));
const sample = sampleOf(
  rooms.flatMap(filesOf).flatMap((path) => mutantsOf(path)),
  Number(values.sample),
  values.seed,
);

const knownLeft = await unnoticed(known);
const sampleLeft = await unnoticed(sample);
const share = sample.length === 0 ? 1 : 1 - sampleLeft.length / sample.length;
say(
  JSON.stringify({
    known: known.length,
    knownUnnoticed: knownLeft.length,
    sample: sample.length,
    sampleUnnoticed: sampleLeft.length,
    share: Number(share.toFixed(3)),
  }),
);
process.exit(knownLeft.length === 0 && share >= SHARE_NOTICED ? 0 : 1);
