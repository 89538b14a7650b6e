/** Builds the bundle of the server, and runs programs without a network. */
import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll } from 'vitest';
import { bundleServer } from '../../scripts/bundle.mjs';
import { fastFolder } from '../../scripts/services.mjs';
import { removeFolder } from './product.fixture.ts';

const execute = promisify(execFile);

interface Bundle {
  readonly archive: string;
  /** The folder of the unpacked bundle, outside of the repository. */
  readonly home: string;
}

/** Creates a folder for thousands of files, in memory if enough memory is free. */
export const folderForBundles = (): string => mkdtempSync(join(fastFolder(), 'fixpoint-bundles-'));

/** Builds the bundle for all tests of a file, and unpacks it. Removes it afterwards. */
export function withServerBundle(): Bundle {
  const folder = folderForBundles();
  const bundle = { archive: '', home: '' };
  beforeAll(() => {
    bundle.archive = bundleServer({ folder });
    execFileSync('tar', ['-xzf', bundle.archive, '-C', folder]);
    const [name] = readdirSync(folder).filter((each) => !each.endsWith('.tgz'));
    if (name === undefined) throw new Error('the archive is empty');
    bundle.home = join(folder, name);
  });
  afterAll(() => removeFolder(folder));
  return bundle;
}

/** Creates a folder for `PATH` with only these programs. */
export function onlyPrograms(folder: string, programs: Readonly<Record<string, string>>): string {
  const path = join(folder, 'programs');
  mkdirSync(path);
  for (const [name, program] of Object.entries(programs))
    symlinkSync(realpathSync(program), join(path, name));
  return path;
}

/** Returns the arguments that run a command without a network, except its own loopback device. */
export const withoutNetwork = (command: readonly string[]): readonly string[] => [
  'unshare',
  ...(process.getuid?.() === 0 ? ['--net'] : ['--map-root-user', '--net']),
  'sh',
  '-c',
  'ip link set lo up && exec "$@"',
  'sh',
  ...command,
];

/** Whether this machine lets tests run programs without a network. */
export const canCutNetwork = (() => {
  const [program = '', ...args] = withoutNetwork(['true']);
  return spawnSync(program, args).status === 0;
})();

export interface InstalledReport {
  readonly page: number;
  readonly isConsole: boolean;
  readonly title: string;
  readonly stopped: number | string;
  readonly backup: { readonly status: number; readonly last: string };
  readonly check: { readonly status: number; readonly last: string };
  readonly verified: { readonly status: number; readonly last: string };
}

/** Runs a program without the variables of this process. */
export async function runAlone(command: readonly string[], env: Record<string, string>): Promise<string> {
  const [program = '', ...args] = command;
  return (
    await execute('env', ['-i', ...Object.entries(env).map((pair) => pair.join('=')), program, ...args])
  ).stdout;
}
