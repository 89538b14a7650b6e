/** Milliseconds during which the opened page has the network and the CPU to itself. */
const FIRST_MS = 1000;
/** Maximum milliseconds by which a page that is always busy delays the work. */
const BUSY_MS = 4000;

/**
 * Runs low-priority work after the opened page had time to render. Returns a function that cancels
 * the work.
 */
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
  } else run(); // Safari has no requestIdleCallback.
}
