/**
 * Measures the work of a key press on the page's thread. The time until the effect of a key is
 * visible says little about this work, because frames are at least 16.7 ms apart.
 */

const SETTLED_MS = 1000;
const CATEGORIES = ['toplevel', 'devtools.timeline'];

/**
 * Presses a key `times` times. For each press, returns the milliseconds that the page's thread was
 * busy until the next press, and the length of the longest task. Busy time includes handlers,
 * rendering and all other work.
 */
export async function workOfKeys({ browser, page, times, delay }) {
  await browser.startTracing(page, { categories: CATEGORIES });
  // Ignores earlier keys and the start of the trace.
  await page.waitForTimeout(SETTLED_MS);
  for (let n = 0; n < times; n += 1) await page.keyboard.press('a', { delay });
  await page.waitForTimeout(delay);
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const keys = traceEvents
    .filter(({ name, args }) => name === 'EventDispatch' && args.data?.type === 'keydown')
    .toSorted((a, b) => a.ts - b.ts);
  if (keys.length !== times) throw new Error(`${keys.length} of ${times} keys are in the trace`);
  const [{ pid, tid }] = keys;
  const tasks = traceEvents.filter(
    (event) => event.name === 'ThreadControllerImpl::RunTask' && event.pid === pid && event.tid === tid,
  );
  return keys.map((key, n) => {
    const from = Math.min(...tasks.filter((task) => isIn(key.ts, task)).map(({ ts }) => ts), key.ts);
    const until = keys[n + 1]?.ts ?? Number.POSITIVE_INFINITY;
    const own = tasks.filter(({ ts, dur }) => ts >= from && ts + dur <= until).map(({ dur }) => dur / 1000);
    return { busy: own.reduce((sum, one) => sum + one, 0), longest: Math.max(0, ...own) };
  });
}

const isIn = (at, { ts, dur }) => ts <= at && at < ts + dur;
