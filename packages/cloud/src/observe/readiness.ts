/**
 * Reports whether the stores of a server answer. Anybody may ask often, so one look serves all
 * callers within a second.
 */
const FRESH_MS = 1000;
/** A store that takes longer counts as not answering. */
const PATIENCE_MS = 3000;

/**
 * @param looks each queries one store; a look that returns false or throws means that the store
 * doesn't answer
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
