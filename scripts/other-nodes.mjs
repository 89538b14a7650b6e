/**
 * Runs tests of the engine and the server on newer versions of Node than the oldest supported one.
 * The npm packages `node-<platform>-<architecture>` contain one program each.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runVitest } from './checks.mjs';
import { root, run } from './ready.mjs';

const VERSIONS = ['22.23.5', '24.22.3'];
/** Tests of the console need no Node. Those of whole processes are slow, so only some run. */
const TESTS = [
  '--project=unit',
  '--project=tables',
  '--project=processes',
  'packages/engine',
  'packages/cloud',
  'packages/cli',
  'packages/protocol',
  'packages/server',
];

/** Returns the folder of a Node program, or undefined if it can't be installed. */
function nodeFolder(version) {
  const name = `node-${process.platform}-${process.arch}`;
  const folder = join(root, 'node_modules', '.cache', `node-${version}`);
  mkdirSync(folder, { recursive: true });
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
  const { ok } = run('npm', [...args, `${name}@${version}`], { quiet: true });
  return ok ? join(folder, 'node_modules', name, 'bin') : undefined;
}

/**
 * Runs the tests on each version, one after another. Returns the results, and the versions that
 * couldn't be installed.
 */
export async function runOnOtherNodes(env) {
  const results = [];
  const missing = [];
  for (const version of VERSIONS) {
    const folder = nodeFolder(version);
    if (folder === undefined) missing.push(`Node ${version}`);
    else {
      // Commands of npm packages take the first `node` of the path, and so do their children.
      const path = `${folder}:${process.env.PATH ?? ''}`;
      process.stdout.write(`Tests of the engine and the server on Node ${version}\n`);
      // The large budgets ran on the oldest version, and find the same faults on each.
      results.push(await runVitest(TESTS, { ...env, PATH: path, FIXPOINT_BUDGET: 'commit' }));
    }
  }
  return { results, missing };
}
