/** Runs all products in turn, several rounds, and prints medians and ratios to the first product of each row. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixpointAdapter } from './adapters/fixpoint.mjs';
import { rawAppendAdapter } from './adapters/raw-append.mjs';
import { WORKLOADS } from './workloads.mjs';

const median = (values) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)];

async function capabilitiesOf(adapter, folder) {
  const db = await adapter.open(folder());
  const capabilities = new Set(Object.keys(db));
  await db.close();
  return capabilities;
}

export async function runBench({ quick }) {
  const base = mkdtempSync(join(tmpdir(), 'fixpoint-bench-'));
  const folder = () => mkdtempSync(join(base, 'run-'));
  const size = quick ? { count: 1000, documents: 2000 } : { count: 5000, documents: 10_000 };
  const rounds = quick ? 1 : 3;
  const adapters = [fixpointAdapter('strict'), fixpointAdapter('relaxed'), rawAppendAdapter];
  const values = new Map();
  for (let round = 0; round < rounds; round++)
    for (const { needs, run } of WORKLOADS)
      for (const adapter of adapters) {
        const can = await capabilitiesOf(adapter, folder);
        if (!needs.every((need) => can.has(need))) continue;
        for (const row of await run(adapter, folder, size)) {
          const key = JSON.stringify([row.id, row.what, row.unit]);
          const byAdapter = values.get(key) ?? new Map();
          byAdapter.set(adapter.name, [...(byAdapter.get(adapter.name) ?? []), row.value]);
          values.set(key, byAdapter);
        }
      }
  rmSync(base, { recursive: true, force: true });
  const table = tableOf(values, adapters);
  process.stdout.write(table);
  mkdirSync('artefacts', { recursive: true });
  writeFileSync(join('artefacts', 'bench.md'), table);
}

function tableOf(values, adapters) {
  const head = ['', 'Workload', ...adapters.map(({ name }) => name)];
  const lines = [`| ${head.join(' | ')} |`, `|${head.map(() => '---').join('|')}|`];
  for (const [key, byAdapter] of values) {
    const [id, what, unit] = JSON.parse(key);
    const first = median(byAdapter.values().next().value);
    const cells = adapters.map(({ name }) => {
      const measured = byAdapter.get(name);
      if (measured === undefined) return '-';
      const value = median(measured);
      return `${value.toPrecision(3)} ${unit} (x${(value / first).toFixed(2)})`;
    });
    lines.push(`| ${[id, what, ...cells].join(' | ')} |`);
  }
  return `${lines.join('\n')}\n`;
}
