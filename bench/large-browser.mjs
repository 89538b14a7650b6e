/**
 * Measures a large database in Chromium, like `large.mjs` in Node: ids in no order, filled in bulks
 * of 1,000. Each phase is a new page. Needs a build.
 *
 * `node bench/large-browser.mjs [number of documents]`
 */
import { join } from 'node:path';
import { ensureChromium } from '../scripts/ready.mjs';
import { withPages } from './browser/run.mjs';

const count = Number(process.argv[2] ?? 250_000);

await withPages(join(import.meta.dirname, 'browser/large'), ensureChromium(), async (open) => {
  const first = await open();
  const phases = await first.evaluate(() => window.phases);
  await first.close();
  for (const phase of phases) {
    const page = await open();
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
});
