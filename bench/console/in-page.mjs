/**
 * Functions that run in the measured page. Each function must be self-contained, because Playwright
 * sends only its text to the page.
 */

/** Resolves after two frames. */
export const afterFrames = () =>
  new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve(undefined))));

/**
 * Measures the time from the next click or key until each selector finds a visible element. With
 * `pattern`, the text of the element must match this pattern. `seenAfter` returns the measured
 * time. Checks at each frame, because Playwright's waits poll only every half second. With
 * `sinceStart`, measures from the start of the page.
 */
export function watchFor({ selectors, pattern, sinceStart = false }) {
  const wanted = pattern === undefined ? undefined : new RegExp(pattern);
  const isShown = (element) =>
    element.getClientRects().length > 0 && (wanted === undefined || wanted.test(element.textContent));
  // The selector after >>> applies inside the shadow root of the element before it.
  const found = (selector) => {
    const [outer, inner] = selector.split(' >>> ');
    const shadow = inner === undefined ? undefined : document.querySelector(outer)?.shadowRoot;
    return inner === undefined ? document.querySelectorAll(outer) : (shadow?.querySelectorAll(inner) ?? []);
  };
  let began = sinceStart ? 0 : undefined;
  const begin = ({ timeStamp }) => {
    began ??= timeStamp;
  };
  const inputs = ['pointerdown', 'keydown', 'beforeinput'];
  for (const type of inputs) addEventListener(type, begin, { capture: true });
  window.seen = new Promise((resolve) => {
    const look = () => {
      const isThere = selectors.every((selector) => [...found(selector)].some(isShown));
      if (!isThere || began === undefined) return void requestAnimationFrame(look);
      for (const type of inputs) removeEventListener(type, begin, { capture: true });
      resolve(Math.round(performance.now() - began));
    };
    requestAnimationFrame(look);
  });
}

export const seenAfter = () => window.seen;

/** Pastes a text as a user does. */
export function pasteText(element, text) {
  const clipboardData = new DataTransfer();
  clipboardData.setData('text/plain', text);
  element.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }));
}

/**
 * Scrolls the table by `px` pixels, down or sideways, in each of `count` frames. Returns how long
 * the frames took.
 */
export async function scrollFrames({ count, px, sideways = false }) {
  const grid = document.querySelector('[role=grid]');
  const frames = [];
  let absent = 0;
  let rows = 0;
  let last = await new Promise(requestAnimationFrame);
  for (let n = 0; n < count; n += 1) {
    grid[sideways ? 'scrollLeft' : 'scrollTop'] += px;
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
    const box = grid.getBoundingClientRect();
    for (const row of grid.querySelectorAll('[data-row]')) {
      const { top, bottom } = row.getBoundingClientRect();
      if (bottom < box.top + 40 || top > box.bottom) continue;
      rows += 1;
      if (row.querySelector('a') === null) absent += 1;
    }
  }
  return {
    frames,
    nodes: document.querySelectorAll('*').length,
    heapMb: Math.round((performance.memory?.usedJSHeapSize ?? 0) / 1e6),
    late: Math.round((1000 * absent) / Math.max(1, rows)) / 10,
  };
}

/**
 * Returns the browser's paint entries. The browser keeps entries from before an observer started.
 */
export async function paintsSince() {
  const entriesOf = (type) =>
    new Promise((resolve) => {
      const observer = new PerformanceObserver((list) => resolve(list.getEntries()));
      observer.observe({ type, buffered: true });
      // The browser never calls the observer if there are no entries.
      setTimeout(() => resolve([]), 200);
    });
  const [largest] = (await entriesOf('largest-contentful-paint')).slice(-1);
  const tasks = await entriesOf('longtask');
  const shifts = await entriesOf('layout-shift');
  const sum = (amounts) => amounts.reduce((all, each) => all + each, 0);
  return {
    heading: document.querySelector('h1')?.textContent,
    largest: Math.round(largest.startTime),
    // Only the time of a task beyond 50 ms counts as blocking.
    blocked: Math.round(sum(tasks.map(({ duration }) => Math.max(0, duration - 50)))),
    shift:
      Math.round(1000 * sum(shifts.filter((each) => !each.hadRecentInput).map(({ value }) => value))) / 1000,
  };
}

/**
 * Records the time from each click and key until the browser draws its effect. The browser reports
 * no times below 16 ms.
 */
export function recordInteractions() {
  new PerformanceObserver((list) => {
    for (const { interactionId, duration, name } of list.getEntries())
      if (interactionId > 0) window.tellInteraction({ interactionId, duration, name });
  }).observe({ type: 'event', durationThreshold: 16, buffered: true });
}

/** Records the longest time between two frames. */
export function recordFrames() {
  const frames = { longest: 0, isOver: false };
  window.frames_ = frames;
  let last = performance.now();
  const next = (now) => {
    frames.longest = Math.max(frames.longest, now - last);
    last = now;
    if (!frames.isOver) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

export function longestFrame() {
  window.frames_.isOver = true;
  return Math.round(window.frames_.longest * 10) / 10;
}

/**
 * Returns how long frames take while the page is idle. This is the delay that other work on the
 * machine adds.
 */
export async function framesAtRest(count) {
  const frames = [];
  let last = await new Promise(requestAnimationFrame);
  for (let n = 0; n < count; n += 1) {
    const now = await new Promise(requestAnimationFrame);
    frames.push(now - last);
    last = now;
  }
  return frames;
}

/**
 * Records how often the rows of the table changed, in how many frames, how long frames took, and
 * when texts like `told-1;` appeared.
 */
export function recordDrawing() {
  const drawn = { times: 0, frames: 0, took: [], seen: {}, isOver: false };
  window.drawn = drawn;
  let isNew = false;
  const rows = document.querySelector('[role=grid]');
  new MutationObserver(() => {
    drawn.times += 1;
    isNew = true;
    for (const [text] of rows.textContent.matchAll(/told-\d+;/g))
      drawn.seen[text] ??= performance.timeOrigin + performance.now();
  }).observe(rows, { childList: true, subtree: true, characterData: true });
  let last = performance.now();
  const next = (now) => {
    drawn.took.push(now - last);
    last = now;
    if (isNew) drawn.frames += 1;
    isNew = false;
    if (!drawn.isOver) requestAnimationFrame(next);
  };
  requestAnimationFrame(next);
}

export function drawing() {
  window.drawn.isOver = true;
  return window.drawn;
}

/**
 * Writes documents with a separate engine that is loaded from `script`. At most `inFlight` writes
 * are pending at once; with one, each document is a separate commit. Returns the time of each
 * write.
 */
export async function putOneByOne({ script, name, docs, pauseMs = 0, inFlight = 1 }) {
  const worker = new Worker(script, { type: 'module' });
  const waiting = new Map();
  worker.onmessage = ({ data }) => {
    if (data.do !== 'answer') return;
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.failed) reject(new Error(JSON.stringify(data.value)));
    else resolve(data.value);
  };
  let calls = 1;
  const call = (verb, args) =>
    new Promise((resolve, reject) => {
      calls += 1;
      waiting.set(calls, { resolve, reject });
      worker.postMessage({ do: 'call', id: calls, on: 1, verb, args });
    });
  worker.postMessage({ do: 'open', as: 1, name, options: {} });
  const written = [];
  const waitingDocs = docs.values();
  const write = async () => {
    for (const doc of waitingDocs) {
      await call('put', [doc]);
      written.push(performance.timeOrigin + performance.now());
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  };
  await Promise.all(Array.from({ length: inFlight }, write));
  await call('close', []);
  worker.terminate();
  return written;
}
