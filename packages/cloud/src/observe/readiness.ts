/**
 * Reports whether the stores of a server respond. Anybody may ask, and often, so all callers within
 * one second share one result.
 */
const FRESH_MS = 1000;
/** A store that takes longer counts as not responding. */
const PATIENCE_MS = 3000;

/**
 * @param looks functions that each query one store. A store counts as not responding if its
 * function rejects or returns false
 */
export function createReadiness(
  looks: readonly (() => Promise<boolean>)[],
  now: () => number,
  patienceMs = PATIENCE_MS,
): () => Promise<boolean> {
  let last: { readonly at: number; readonly answer: Promise<boolean> } | undefined;
  const lookAtAll = async () =>
    (await Promise.all(looks.map((look) => answersSoon(look, patienceMs)))).every(Boolean);
  return () => {
    const at = now();
    if (last === undefined || Math.abs(at - last.at) >= FRESH_MS) last = { at, answer: lookAtAll() };
    return last.answer;
  };
}

async function answersSoon(look: () => Promise<boolean>, patienceMs: number): Promise<boolean> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const tooLate = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, patienceMs, false);
  });
  const answer = look().catch(() => false);
  return Promise.race([answer, tooLate]).finally(() => clearTimeout(timer));
}
