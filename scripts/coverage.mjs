/**
 * `node scripts/coverage.mjs`: lists branches of the critical code that the tests of their part of
 * the code don't cover (R19). Critical code is code that could lose or leak data. `[--room clock]`
 * checks one part (see scripts/mutation/rooms.mjs). `[--share 0.05]` is the share of its budgeted
 * cases that each test runs. `[--workers 1]` is the number of Vitest workers. Branches that run
 * only in processes or browsers that tests start don't count as covered.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { countArgs } from './coverage/args.mjs';
import { ROOMS } from './mutation/rooms.mjs';
import { bin, root } from './ready.mjs';

const { values } = parseArgs({
  options: {
    room: { type: 'string' },
    share: { type: 'string', default: '1' },
    workers: { type: 'string', default: '1' },
  },
});
const say = (text) => process.stdout.write(`${text}\n`);

let isWhole = true;
for (const room of ROOMS.filter(({ name }) => values.room === undefined || name === values.room)) {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-coverage-'));
  const args = ['run', ...room.tests.flat(), `--maxWorkers=${values.workers}`, '--reporter=dot'];
  const report = ['--coverage.reporter=json', `--coverage.reportsDirectory=${folder}`];
  const { status } = spawnSync(bin('vitest'), [...args, ...countArgs([room]), ...report], {
    cwd: root,
    env: { ...process.env, NODE_ENV: 'test', FIXPOINT_SHARE: values.share },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const files = Object.values(JSON.parse(readFileSync(join(folder, 'coverage-final.json'), 'utf8')));
  rmSync(folder, { recursive: true });
  const branches = files.flatMap(branchesOf);
  const left = branches.filter(({ count }) => count === 0);
  for (const { path, line, what } of left) say(`${path}:${line} ${what}`);
  say(`${room.name}: ${branches.length - left.length} of ${branches.length} branches`);
  isWhole &&= status === 0 && left.length === 0;
}
process.exit(isWhole ? 0 : 1);

function branchesOf({ path, branchMap, b }) {
  return Object.entries(branchMap).flatMap(([id, { type, loc, locations }]) =>
    b[id].map((count, at) => ({
      path: relative(root, path),
      // A missing branch, such as an absent else, has no position.
      line: locations[at]?.start.line ?? loc.start.line,
      what: `${type} ${at + 1}`,
      count,
    })),
  );
}
