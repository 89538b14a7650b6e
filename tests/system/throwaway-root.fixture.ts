/**
 * Boots systemd in a copy of a root folder, in namespaces of its own, and runs commands there. The
 * copy is in memory, so nothing on this machine changes. Needs root.
 */
import { execFile, spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { expect, vi } from 'vitest';

const execute = promisify(execFile);
const SCRIPT = resolve('tests/system/throwaway-root.sh');
const MOUNTS = readFileSync('/proc/mounts', 'utf8').split('\n');
/** Where this machine mounted the unified control groups. */
const groups = MOUNTS.map((line) => line.split(' ')).find(([, , kind]) => kind === 'cgroup2')?.[1];

/** Why systemd can't boot in namespaces here; undefined if it can. */
export const whyNoRoot: string | undefined = (() => {
  if (process.getuid?.() !== 0) return 'not root';
  if (groups === undefined) return 'no cgroup2';
  if (!existsSync('/lib/systemd/systemd')) return 'no systemd';
  const mounts =
    'd=$(mktemp -d) && mount -t tmpfs t $d && cd $d && mkdir u w r && mount -t overlay -o lowerdir=/,upperdir=u,workdir=w o r';
  const args = ['--mount', '--pid', '--fork', '--net', '--uts', '--ipc', '--cgroup', 'sh', '-c', mounts];
  return spawnSync('unshare', args).status === 0 ? undefined : 'unshare and overlay mounts are not permitted';
})();

export interface ThrowawayRoot {
  /** Runs a shell script. Returns its exit code and its output. */
  run(script: string): Promise<{ readonly code: number; readonly output: string }>;
  /** Runs a shell script that must succeed. Returns its output without spaces at the end. */
  must(script: string): Promise<string>;
  /** Ends all processes, and with them the copy. */
  end(): Promise<void>;
}

/** Removes a control group whose processes have ended, and those below it. */
function removeGroup(path: string): void {
  for (const entry of readdirSync(path, { withFileTypes: true }))
    if (entry.isDirectory()) removeGroup(join(path, entry.name));
  rmdirSync(path);
}

const PATIENCE = { timeout: 120_000, interval: 100 };

const childOf = (pid: number): string | undefined =>
  spawnSync('ps', ['--ppid', String(pid), '-o', 'pid='], { encoding: 'utf8' }).stdout.trim() || undefined;

/**
 * @param lower the root folder
 * @param files a folder whose files appear in `/root/files`
 */
export async function bootRoot(lower: string, files: string): Promise<ThrowawayRoot> {
  const group = join(groups ?? '', `fixpoint-test-${process.pid}-${Math.trunc(performance.now())}`);
  mkdirSync(group);
  // The shell enters the control group before `unshare` makes it the root of its namespace.
  const enter = 'echo $$ > "$0/cgroup.procs" && exec "$@"';
  const spaces = ['--mount', '--pid', '--fork', '--kill-child', '--net', '--uts', '--ipc', '--cgroup'];
  const child = spawn('sh', ['-c', enter, group, 'unshare', ...spaces, 'sh', SCRIPT, lower, files], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const ended = new Promise((done) => child.once('exit', done));
  const inside = (script: string) => {
    const init = childOf(child.pid ?? 0);
    if (init === undefined) throw new Error('systemd has ended');
    const into = ['-t', init, '--mount', '--pid', '--net', '--uts', '--ipc', '--cgroup', '--root', '--wd=/'];
    return ['nsenter', [...into, 'sh', '-c', script]] as const;
  };
  const run = async (script: string) => {
    const env = {
      PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
      LC_ALL: 'C.UTF-8',
      DEBIAN_FRONTEND: 'noninteractive',
    };
    return execute(...inside(`{ ${script}\n} 2>&1`), { env }).then(
      ({ stdout }) => ({ code: 0, output: stdout.trimEnd() }),
      ({ code, stdout }) => ({ code: Number(code), output: String(stdout).trimEnd() }),
    );
  };
  const must = async (script: string) => {
    const { code, output } = await run(script);
    expect(code, `${script}\n${output}`).toBe(0);
    return output;
  };
  const end = async () => {
    child.kill('SIGKILL');
    await ended;
    // Fails until all processes of the group have ended.
    await vi.waitFor(() => removeGroup(group), PATIENCE);
  };
  await vi.waitFor(async () => {
    const { output } = await run('systemctl is-system-running');
    if (!/^(running|degraded)$/.test(output)) throw new Error(`systemd has not started: ${output}`);
  }, PATIENCE);
  return { run, must, end };
}
