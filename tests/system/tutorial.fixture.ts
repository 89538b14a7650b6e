/** Follows a tutorial: saves its files and runs its commands, as its readers do. */
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { codeBlocksOf } from '../architecture/code-blocks.fixture.ts';
import { readyUrl } from './product.fixture.ts';

export interface Step {
  /** The file that the reader saves; undefined for commands. */
  readonly file?: string;
  readonly code: string;
}

/** Returns the files and commands of a page, by the headings of its sections. */
export function stepsOf(page: string, markdown: string): ReadonlyMap<string, readonly Step[]> {
  const lines = markdown.split('\n');
  const sections = new Map<string, Step[]>();
  for (const { at, language, code } of codeBlocksOf(page, markdown)) {
    const before = lines.slice(0, at);
    const heading = before.findLast((line) => line.startsWith('## ')) ?? '';
    const file = /(?:as|Replace) `([\w.]+)`/.exec(before.slice(-4).join(' '))?.[1];
    if (language !== 'sh' && file === undefined) throw new Error(`${page}:${at + 1} names no file`);
    const step = language === 'sh' ? { code } : { file: file ?? '', code };
    sections.set(heading, [...(sections.get(heading) ?? []), step]);
  }
  return sections;
}

export interface Reader {
  /** Does the steps. Returns the addresses at which the started programs listen. */
  follow(steps: readonly Step[]): Promise<string[]>;
  /** Saves a file in the current folder. */
  save(file: string, content: string): void;
  /** The current folder. */
  folder(): string;
  /** Stops the program that was started with a command. */
  stop(command: string): Promise<void>;
  close(): Promise<void>;
}

/**
 * @param at the folder where the reader begins
 * @param typed changes a line of the tutorial before it is run or saved; undefined skips it
 * @param env variables of all commands
 */
export function reader(
  at: string,
  typed: (line: string) => string | undefined,
  env: Readonly<Record<string, string>>,
): Reader {
  let folder = at;
  const running = new Map<string, { child: ChildProcess; ended: Promise<number | null> }>();
  const { NODE_ENV, NODE_OPTIONS, ...given } = process.env;
  const options = () => ({ cwd: folder, env: { ...given, NO_COLOR: '1', ...env } });

  async function run(line: string): Promise<string | undefined> {
    const [, into] = /^cd (\S+)$/.exec(line) ?? [];
    if (into !== undefined) folder = join(folder, into);
    const command = into === undefined ? typed(line) : undefined;
    if (command === undefined) return undefined;
    if (!line.startsWith('npx ')) {
      await promisify(execFile)('bash', ['-c', command], options());
      return undefined;
    }
    const child = spawn('bash', ['-c', `exec ${command}`], {
      ...options(),
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    const ended = new Promise<number | null>((resolve) => child.once('exit', resolve));
    running.set(line, { child, ended });
    return readyUrl(child, ended);
  }
  async function stop(command: string): Promise<void> {
    const started = running.get(command);
    running.delete(command);
    if (started?.child.pid === undefined || started.child.exitCode !== null) return;
    process.kill(-started.child.pid, 'SIGINT');
    await started.ended;
  }
  const save = (file: string, content: string) => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, file), content);
  };
  return {
    follow: async (steps) => {
      const urls: string[] = [];
      for (const { file, code } of steps) {
        if (file !== undefined)
          save(
            file,
            code
              .split('\n')
              .map((line) => typed(line) ?? '')
              .join('\n'),
          );
        else for (const line of code.split('\n')) urls.push((await run(line)) ?? '');
      }
      return urls.filter((url) => url !== '');
    },
    save,
    folder: () => folder,
    stop,
    close: async () => {
      await Promise.all([...running.keys()].map(stop));
    },
  };
}
