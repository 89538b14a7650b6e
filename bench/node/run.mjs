/** The workloads in Node: each product in turn, each in a process of its own, several rounds. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { NODE_ADAPTERS } from '../adapters/node/index.mjs';
import { WORKLOADS } from '../workloads.mjs';

const CHILD = fileURLToPath(new URL('./child.mjs', import.meta.url));
const PATIENCE_MS = 300_000;

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

function answerOf(task) {
  const done = spawnSync(process.execPath, [CHILD, JSON.stringify(task)], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    killSignal: 'SIGKILL',
    maxBuffer: 1e8,
  });
  const line = done.stdout.split('\n').find((text) => text.startsWith('{"rows"'));
  if (line !== undefined) return JSON.parse(line);
  process.stderr.write(`${task.adapter} failed at ${task.workload}: ${done.stderr.slice(-500)}\n`);
  return { rows: [], lacks: undefined };
}
