/** Repeats a background job, one pass at a time. */
export interface PeriodicSweep {
  /** Runs a pass now, after the running one. Never rejects. */
  sweep(): Promise<void>;
  /** Starts no further pass by itself. Resolves when no pass is running. */
  stop(): Promise<void>;
}

/** @param report receives failures of a pass; they don't stop later passes */
export function createPeriodicSweep(
  everyMs: number,
  pass: () => Promise<void>,
  report: (error: unknown) => void,
): PeriodicSweep {
  let running: Promise<void> = Promise.resolve();
  const sweep = () => {
    running = running.then(pass).catch(report);
    return running;
  };
  const timer = setInterval(() => void sweep(), everyMs);
  timer.unref();
  return {
    sweep,
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}
