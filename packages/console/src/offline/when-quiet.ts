/** How long the page that was opened has line and processor for itself. */
const FIRST_MS = 1000;
/** A page that is always busy is no reason to wait longer. */
const BUSY_MS = 4000;

/** Does what is for later when the page that was opened has had time to show itself. Gives what takes it back. */
export function whenQuiet(run: () => void): () => void {
  const waiting = new AbortController();
  const begin = () => {
    const timer = setTimeout(() => idle(run, waiting.signal), FIRST_MS);
    waiting.signal.addEventListener('abort', () => clearTimeout(timer));
  };
  if (document.readyState === 'complete') begin();
  else addEventListener('load', begin, { once: true, signal: waiting.signal });
  return () => waiting.abort();
}

function idle(run: () => void, signal: AbortSignal): void {
  if ('requestIdleCallback' in window) {
    const asked = requestIdleCallback(run, { timeout: BUSY_MS });
    signal.addEventListener('abort', () => cancelIdleCallback(asked));
  } else run(); // Safari has no such call.
}
