/** Repeats a background job, one pass at a time. */
export interface PeriodicSweep {
  /** Runs a pass as soon as the running pass has finished. Never rejects. */
  sweep(): Promise<void>;
  /** Stops the timer. Resolves when the running pass has finished. */
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
