/** When somebody who comes to a page sees it: for the first time, on a slow line, and again. */
import { paintsOf, paintsSince, recordPaints } from './in-page.mjs';

/** What the page itself is for, by its path. */
const PAGES = [
  { path: '/login', heading: 'Sign in' },
  { path: '/fp/cloud', heading: 'Welcome to Fixpoint', isSignedIn: true },
  { path: '/fp/databases', heading: 'Local databases' },
];

/** As Lighthouse throttles: slow 4G, and a phone's processor. */
const SLOW = { offline: false, latency: 150, downloadThroughput: 204_800, uploadThroughput: 96_000 };
const SLOWER_PROCESSOR = 4;
/** What is drawn later than this after the heading is no part of the first paint. */
const SETTLED_MS = 500;
/** So long a visit that nobody watches is left alone. */
const ALONE_MS = 2000;
/** Visits, each as if it were the first; what is told is the middle one. */
const VISITS = 5;

export async function firstPaints({ browser, url, result }) {
  const signedIn = await someone(browser, url);
  for (const { path, heading, isSignedIn } of PAGES) {
    const place = { address: url + path, heading, cookies: isSignedIn ? signedIn : [] };
    const fast = await paintOf(() => visitAlone(browser, place));
    result(`${path}: largest paint of a first visit`, fast.largest, 'ms', 350);
    const slow = await paintOf(() => visitSlowly(browser, place));
    result(`${path}: the same on slow 4G, four times slower processor`, slow.largest, 'ms', 1800);
    result(`${path}: blocked meanwhile`, slow.blocked, 'ms', 150);
    result(`${path}: shift of its layout`, slow.shift, '', 0.02);
  }
  await secondVisits({ browser, url, result });
}

/** The cookies of somebody who has signed up. */
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
 * As a browser that nothing is attached to opens a page. Whoever watches the network, as Playwright does of each of its pages, has the browser note where in which
 * script each request began, for which it parses the whole first script once more: about a fifth of the time to the first paint.
 */
async function visitAlone(browser, { address, heading, cookies }) {
  const devtools = await browser.newBrowserCDPSession();
  const { browserContextId } = await devtools.send('Target.createBrowserContext');
  await devtools.send('Storage.setCookies', { cookies, browserContextId });
  const { targetId } = await devtools.send('Target.createTarget', { url: address, browserContextId });
  await new Promise((resolve) => setTimeout(resolve, ALONE_MS));
  const { sessionId } = await devtools.send('Target.attachToTarget', { targetId, flatten: false });
  const told = new Promise((resolve) => {
    devtools.on('Target.receivedMessageFromTarget', ({ message }) => resolve(JSON.parse(message).result));
  });
  const params = { expression: `(${paintsSince})()`, awaitPromise: true, returnByValue: true };
  const message = JSON.stringify({ id: 1, method: 'Runtime.evaluate', params });
  await devtools.send('Target.sendMessageToTarget', { sessionId, message });
  const { value } = (await told).result;
  await devtools.send('Target.disposeBrowserContext', { browserContextId });
  await devtools.detach();
  if (value?.heading !== heading) throw new Error(`${address} shows ${value?.heading}`);
  return value;
}

async function visitSlowly(browser, { address, heading, cookies }) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    storageState: { cookies, origins: [] },
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  await page.addInitScript(recordPaints);
  const devtools = await context.newCDPSession(page);
  await devtools.send('Network.enable');
  await devtools.send('Network.emulateNetworkConditions', SLOW);
  await devtools.send('Emulation.setCPUThrottlingRate', { rate: SLOWER_PROCESSOR });
  const paints = await visit(page, address, heading);
  await context.close();
  return paints;
}

async function visit(page, address, heading) {
  await page.goto(address);
  await page.getByRole('heading', { level: 1, name: heading }).waitFor();
  await page.waitForTimeout(SETTLED_MS);
  return page.evaluate(paintsOf);
}

/** When the service worker has all files: with the server, and without. */
async function secondVisits({ browser, url, result }) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.addInitScript(recordPaints);
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
  result('the same without a network', await again(), 'ms', 250);
  await context.close();
}
