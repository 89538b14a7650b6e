/** Runs the workloads in Node: each product in turn, in a separate process, for several rounds. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { NODE_ADAPTERS } from '../adapters/node/index.mjs';
import { GROWTH } from '../growth.mjs';
import { WORKLOADS } from '../workloads.mjs';

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url));
const GROWTH_CHILD = fileURLToPath(new URL('./growth-child.mjs', import.meta.url));
const PATIENCE_MS = 300_000;
const GROWTH_PATIENCE_MS = 900_000;

export function runInNode({ rounds, size, results, note }) {
  for (let round = 1; round <= rounds; round++)
    for (const workload of Object.keys(WORKLOADS))
      for (const adapter of Object.keys(NODE_ADAPTERS)) {
        note(`Node, round ${round}: ${workload} ${adapter}`);
        const { rows, lacks } = answerOf({ adapter, workload, size });
        results.lacks('Node', adapter, lacks);
        for (const row of rows) results.add('Node', adapter, row);
      }
}

/** Returns growth curves. Runs each scenario in a separate process. */
export function growInNode({ sizes, note }) {
  return GROWTH.flatMap((name) => {
    note(`Node, growth: ${name}`);
    return answersOf(GROWTH_CHILD, { name, sizes }, '{"name"', GROWTH_PATIENCE_MS);
  });
}

const answerOf = (task) =>
  answersOf(CHILD, task, '{"rows"', PATIENCE_MS)[0] ?? { rows: [], lacks: undefined };

/**
 * Returns the result line of a child process as an array with one item, or an empty array when the
 * child failed.
 */
function answersOf(child, task, start, timeout) {
  const done = spawnSync(process.execPath, [child, JSON.stringify(task)], {
    encoding: 'utf8',
    timeout,
    killSignal: 'SIGKILL',
    maxBuffer: 1e8,
  });
  const line = done.stdout.split('\n').find((text) => text.startsWith(start));
  if (line !== undefined) return [JSON.parse(line)];
  process.stderr.write(`${JSON.stringify(task)} failed: ${done.stderr.slice(0, 500)}\n`);
  return [];
}
