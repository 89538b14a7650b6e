/**
 * Runs one workload with one product in a separate process. Prints the rows of the workload. For
 * W2, the rows include the size on disk and the peak memory.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NODE_ADAPTERS } from '../adapters/node/index.mjs';
import { bytesBelow } from '../growth.mjs';
import { runWorkload } from '../workloads.mjs';

const { adapter: name, workload, size } = JSON.parse(process.argv[2]);
const base = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'));
// Makes all products store their keys below this folder, too.
process.env.FP_KEYBAG_URL = `file://${base}/keybag`;
process.env.FIXPOINT_DIR = base;
let last = base;
const newPlace = () => {
  last = mkdtempSync(join(base, 'run-'));
  return last;
};

try {
  const started = performance.now();
  const adapter = await NODE_ADAPTERS[name]();
  const imported = performance.now() - started;
  const megabytesOf = (place) => bytesBelow(place) / 1e6;
  const rows = (await runWorkload(adapter, workload, size, newPlace, megabytesOf)) ?? [];
  if (workload === 'W1') rows.push({ id: 'W7', what: 'import of the package', value: imported, unit: 'ms' });
  if (workload === 'W2' && rows.length > 0) {
    rows.push({
      id: 'W8',
      what: `bytes on disk after compaction, ${size.documents} documents`,
      value: megabytesOf(last),
      unit: 'MB',
    });
    rows.push({
      id: 'W9',
      what: 'peak memory of the bulk run',
      value: process.resourceUsage().maxRSS / 1e3,
      unit: 'MB',
    });
  }
  process.stdout.write(`${JSON.stringify({ rows, lacks: adapter.lacks })}\n`);
} finally {
  rmSync(base, { recursive: true, force: true });
}
process.exit(0);
