/** Returns how many seconds some work takes. */
export async function secondsOf(work) {
  const started = performance.now();
  await work();
  return (performance.now() - started) / 1000;
}
