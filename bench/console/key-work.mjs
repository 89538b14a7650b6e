/** What a key costs the page's thread: a frame comes every 16.7 ms at best, so how long a key takes to be seen says little of the work that is done for it. */

const SETTLED_MS = 1000;
const CATEGORIES = ['toplevel', 'devtools.timeline'];

/**
 * Presses a key so many times, and gives for each the milliseconds that the page's thread was busy until the next: with what the key did, what was drawn for it,
 * and all that ran meanwhile. With each press, how long the longest task was.
 */
export async function workOfKeys({ browser, page, times, delay }) {
  await browser.startTracing(page, { categories: CATEGORIES });
  // What was typed before, and the beginning of the trace, are no part of it.
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
