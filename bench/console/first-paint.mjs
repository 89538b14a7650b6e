/**
 * Measures when a visitor sees a page: at the first visit, at a first visit on a slow connection,
 * and at the second visit.
 */
import { paintsSince } from './in-page.mjs';
import { slowLine } from './slow-line.mjs';

/** The pages by path, each with the heading that it must show. */
const PAGES = [
  { path: '/login', heading: 'Sign in' },
  { path: '/fp/cloud', heading: 'Welcome to Fixpoint', isSignedIn: true },
  { path: '/fp/databases', heading: 'Local databases' },
];

/** Lighthouse's throttling: slow 4G, and a phone's processor. */
const SLOW = { latencyMs: 150, bytesPerSecond: 204_800 };
const SLOWER_PROCESSOR = 4;
/** Milliseconds to wait after the heading appears, until the first paint has ended. */
const SETTLED_MS = 500;
/** Milliseconds to wait before this script reads the paints of an unwatched visit. */
const ALONE_MS = 2000;
const ALONE_SLOWLY_MS = 6000;
/** Number of first visits to each page; the median counts. */
const VISITS = 5;

export async function firstPaints({ browser, url, result }) {
  const signedIn = await someone(browser, url);
  for (const { path, heading, isSignedIn } of PAGES) {
    const place = { address: url + path, heading, cookies: isSignedIn ? signedIn : [] };
    const fast = await paintOf(() => visitAlone(browser, place));
    result(`${path}: largest paint of a first visit`, fast.largest, 'ms', 350);
    const slow = await paintOf(() => visitSlowly(browser, place));
    result(
      `${path}: largest paint of a first visit on slow 4G with a four times slower processor`,
      slow.largest,
      'ms',
      1800,
    );
    result(`${path}: time that this slow visit was blocked`, slow.blocked, 'ms', 150);
    result(`${path}: layout shift of this slow visit`, slow.shift, '', 0.02);
  }
  await secondVisits({ browser, url, result });
}

/** Returns the cookies of a new user. */
async function someone(browser, url) {
  const context = await browser.newContext();
  const signedUp = await context.request.post(`${url}/auth/sign-up/email`, {
    headers: { origin: url },
    data: { email: 'ada@example.com', name: 'Ada', password: 'correct horse battery' },
  });
  if (!signedUp.ok()) throw new Error(`sign-up: ${signedUp.status()} ${await signedUp.text()}`);
  const { cookies } = await context.storageState();
  await context.close();
  return cookies;
}

async function paintOf(firstVisit) {
  const visits = [];
  for (let n = 0; n < VISITS; n += 1) visits.push(await firstVisit());
  return visits.toSorted((a, b) => a.largest - b.largest)[Math.floor(VISITS / 2)];
}

/**
 * Opens a page in a browser without a network watcher. When Playwright watches the network of its
 * own pages, the browser records the script position of each request. To do so, the browser parses
 * the first script twice, which adds about a fifth to the first paint.
 */
async function visitAlone(browser, { address, heading, cookies }) {
  const { devtools, browserContextId } = await visitorWith(browser, cookies);
  const { targetId } = await devtools.send('Target.createTarget', { url: address, browserContextId });
  await new Promise((resolve) => setTimeout(resolve, ALONE_MS));
  const value = await paintsBy(await attach(devtools, targetId));
  await devtools.send('Target.disposeBrowserContext', { browserContextId });
  await devtools.detach();
  if (value?.heading !== heading) throw new Error(`${address} shows ${value?.heading}`);
  return value;
}

/** Opens a page on a slow connection with a throttled processor, also without a network watcher. */
async function visitSlowly(browser, { address, heading, cookies }) {
  const { origin } = new URL(address);
  const line = await slowLine(origin, SLOW);
  const { devtools, browserContextId } = await visitorWith(browser, cookies);
  const { targetId } = await devtools.send('Target.createTarget', { url: 'about:blank', browserContextId });
  const send = await attach(devtools, targetId);
  await send('Emulation.setCPUThrottlingRate', { rate: SLOWER_PROCESSOR });
  await send('Page.navigate', { url: address.replace(origin, line.url) });
  await new Promise((resolve) => setTimeout(resolve, ALONE_SLOWLY_MS));
  const value = await paintsBy(send);
  await devtools.send('Target.disposeBrowserContext', { browserContextId });
  await devtools.detach();
  line.end();
  if (value?.heading !== heading) throw new Error(`${address} shows ${value?.heading}`);
  return value;
}

async function visitorWith(browser, cookies) {
  const devtools = await browser.newBrowserCDPSession();
  const { browserContextId } = await devtools.send('Target.createBrowserContext');
  await devtools.send('Storage.setCookies', { cookies, browserContextId });
  return { devtools, browserContextId };
}

/** Returns a function that sends DevTools commands to a page that Playwright doesn't control. */
async function attach(devtools, targetId) {
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: false });
  const told = [];
  devtools.on('Target.receivedMessageFromTarget', ({ message }) => {
    const { id, result } = JSON.parse(message);
    told[id]?.(result);
  });
  return (method, params) =>
    new Promise((resolve) => {
      const message = JSON.stringify({ id: told.push(resolve) - 1, method, params });
      void devtools.send('Target.sendMessageToTarget', { sessionId, message });
    });
}

async function paintsBy(send) {
  const expression = `(${paintsSince})()`;
  const { result } = await send('Runtime.evaluate', { expression, awaitPromise: true, returnByValue: true });
  return result.value;
}

async function visit(page, address, heading) {
  await page.goto(address);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await page.waitForTimeout(SETTLED_MS);
  return page.evaluate(paintsSince);
}

/**
 * Measures visits after the service worker has cached all files, first with the server, then
 * without a network.
 */
async function secondVisits({ browser, url, result }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const { path, heading } = PAGES.at(-1);
  await visit(page, url + path, heading);
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
  const again = async () => {
    const paints = [];
    for (let n = 0; n < VISITS; n += 1) paints.push((await visit(page, url + path, heading)).largest);
    return paints.toSorted((a, b) => a - b)[Math.floor(VISITS / 2)];
  };
  result('largest paint of a second visit', await again(), 'ms', 250);
  await context.setOffline(true);
  result('largest paint of a second visit without a network', await again(), 'ms', 250);
  await context.close();
}
