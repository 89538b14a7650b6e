/** Gives a command access to its environment. */
export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly fetch: typeof fetch;
  /** Prints one line of the result. */
  out(line: string): void;
  /** Prints one line of status, which is never part of the result. */
  note(line: string): void;
  /** Returns what is typed or piped into the command. `destroy` ends the reading. */
  input(): AsyncIterable<Uint8Array> & { destroy?(): void };
  sleep(ms: number): Promise<void>;
  /** Resolves when the process receives SIGTERM or SIGINT. */
  readonly ended: Promise<void>;
}

export function processIo(): Io {
  // The reader of the output may end first, as `head` does.
  process.stdout.on('error', (cause: NodeJS.ErrnoException) => {
    if (cause.code !== 'EPIPE') throw cause;
    process.exit();
  });
  return {
    env: process.env,
    fetch,
    out: (line) => void process.stdout.write(`${line}\n`),
    note: (line) => void process.stderr.write(`${line}\n`),
    input: () => process.stdin as AsyncIterable<Uint8Array> & { destroy(): void },
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
    ended: new Promise((resolve) => {
      for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
    }),
  };
}
