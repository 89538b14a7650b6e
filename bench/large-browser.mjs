/**
 * Measures a large database in Chromium, like `large.mjs` in Node: ids in no order, filled in bulks
 * of 1,000. Each phase is a new page. Needs a build.
 *
 * `node bench/large-browser.mjs [number of documents]`
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { ensureChromium } from '../scripts/ready.mjs';
import { serveBuilt } from './browser/run.mjs';

const count = Number(process.argv[2] ?? 250_000);
const executablePath = ensureChromium();
const profile = mkdtempSync(join(tmpdir(), 'fixpoint-large-profile-'));
const { url, close } = await serveBuilt(join(import.meta.dirname, 'browser/large'));
const context = await chromium.launchPersistentContext(profile, {
  executablePath,
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const first = await context.newPage();
  await first.goto(url);
  const phases = await first.evaluate(() => window.phases);
  await first.close();
  for (const phase of phases) {
    const page = await context.newPage();
    await page.goto(url);
    const figures = await page
      .evaluate(([name, size]) => window.runPhase(name, size), [phase, count])
      .catch((cause) => {
        process.stderr.write(`${phase} failed: ${cause.message.slice(0, 300)}\n`);
        return {};
      });
    for (const [what, value] of Object.entries(figures))
      process.stdout.write(`${count} ${what}: ${Number(value.toPrecision(3))}\n`);
    await page.close();
  }
} finally {
  await context.close();
  close();
  rmSync(profile, { recursive: true, force: true });
}
