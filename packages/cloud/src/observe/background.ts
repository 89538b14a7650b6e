/** Runs work that a request starts but doesn't wait for. Reports failures of this work. */
export interface Background {
  run(work: () => Promise<unknown>): void;
  /** Resolves when nothing runs. */
  settled(): Promise<void>;
}

export function createBackground(report: (error: unknown) => void): Background {
  const running = new Set<Promise<unknown>>();
  return {
    run: (work) => {
      const done = Promise.resolve()
        .then(work)
        .catch(report)
        .finally(() => running.delete(done));
      running.add(done);
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}
