/** The parts of the process that the command uses, so that tests can replace them. */
import { createInterface } from 'node:readline/promises';
import { fileURLToPath } from 'node:url';

export interface Terminal {
  /** The folder in which the command runs. */
  readonly folder: string;
  /** The folder that contains a folder for each template. */
  readonly templates: string;
  /** The package manager that runs the command, such as `pnpm/9.1.0 npm/? node/v20.19.0`. */
  readonly agent: string;
  /** Undefined if nobody can answer. */
  readonly ask?: ((question: string) => Promise<string>) | undefined;
  out(line: string): void;
  error(line: string): void;
}

/** Rejects when the person presses Ctrl+C or Ctrl+D. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return await new Promise<string>((resolve, reject) => {
      lines.once('close', () => reject(new Error('Cancelled: nothing was created.')));
      lines.once('SIGINT', () => lines.close());
      lines.question(question).then(resolve, reject);
    });
  } finally {
    lines.close();
  }
}

export const processTerminal = (): Terminal => ({
  folder: process.cwd(),
  templates: fileURLToPath(new URL('../templates', import.meta.url)),
  agent: process.env['npm_config_user_agent'] ?? '',
  ask: process.stdin.isTTY ? ask : undefined,
  out: (line) => void process.stdout.write(`${line}\n`),
  error: (line) => void process.stderr.write(`${line}\n`),
});
