import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';

/** The built command. */
export const COMMAND = fileURLToPath(new URL('../bin/fixpoint.mjs', import.meta.url));

export interface Running {
  readonly child: ChildProcess;
  readonly stdout: string[];
  readonly stderr: string[];
  /** Resolves to the first line on standard output. Rejects if the process ends before that. */
  readonly ready: Promise<string>;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

export async function newHome(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'fixpoint-command-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

export const environmentOf = (home: string, more: Readonly<Record<string, string>> = {}) => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  FIXPOINT_DIR: join(home, 'databases'),
  ...more,
});

/** Runs the command as a process of its own. */
export function runCommand(
  home: string,
  argv: readonly string[],
  more: Readonly<Record<string, string>> = {},
): Running {
  const child = spawn(process.execPath, [COMMAND, ...argv], {
    env: environmentOf(home, more),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr]: [string[], string[]] = [[], []];
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  const ready = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      stdout.push(line);
      resolve(line);
    });
    void ended.then((code) => reject(new Error(`ended with ${code}: ${stderr.join(' ')}`)));
  });
  ready.catch(() => undefined);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  return { child, stdout, stderr, ready, ended };
}
