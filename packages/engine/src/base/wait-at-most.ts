/**
 * Waits for work whose result nobody needs, but not longer than `ms` milliseconds. After that, the
 * work may continue. Rejects if the work rejects in time.
 */
export async function waitAtMost(
  time: { after(ms: number, fn: () => void): () => void },
  ms: number,
  work: Promise<unknown>,
): Promise<void> {
  // Ignored here, because the work may reject after the wait.
  work.catch(() => undefined);
  let cancel: () => void = () => undefined;
  const late = new Promise<void>((resolve) => {
    cancel = time.after(ms, resolve);
  });
  try {
    await Promise.race([work, late]);
  } finally {
    cancel();
  }
}
