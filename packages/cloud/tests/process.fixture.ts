import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { SERVER } from '../../../scripts/bundle-node.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Builds the server that `run` starts as a process, unless it is up to date. */
export function build(): void {
  const done = spawnSync(process.execPath, ['scripts/build.mjs'], { cwd: root, encoding: 'utf8' });
  if (done.status !== 0) throw new Error(done.stdout + done.stderr);
}

export interface Run {
  readonly child: ChildProcess;
  readonly stdout: string[];
  readonly stderr: string[];
  /** Resolves to the address once the server is ready. Rejects if the process exits before that. */
  readonly ready: Promise<string>;
  /** The exit code, or the signal that ended the process. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

export function run(env: Record<string, string>): Run {
  const child = spawn(process.execPath, [SERVER], {
    cwd: root,
    env: { PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'error', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout: string[] = [];
  const stderr: string[] = [];
  createInterface({ input: child.stderr }).on('line', (line) => stderr.push(line));
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) =>
    child.once('close', (code, signal) => resolve(signal ?? code)),
  );
  const ready = new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).on('line', (line) => {
      stdout.push(line);
      const [url] = /http:\S+/.exec(line) ?? [];
      if (url !== undefined) resolve(url);
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
