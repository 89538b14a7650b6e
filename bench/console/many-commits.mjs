/** Measures the history of a database with many commits of one document each. */
import { afterFrames, putOneByOne, seenAfter, watchFor } from './in-page.mjs';

export async function manyCommits({ page, url, result, commits }) {
  const [engine] = page.workers().filter((worker) => worker.url().includes('engine-worker'));
  if (engine === undefined) throw new Error('the page has no engine');
  const docs = Array.from({ length: commits }, (_, n) => ({ _id: `day-${n % 500}`, n }));
  await page.evaluate(putOneByOne, { script: engine.url(), name: 'diary', docs });
  await page.goto(`${url}/fp/databases/diary/history`);
  await page.getByRole('grid').getByRole('link').first().waitFor();
  await page.evaluate(afterFrames);
  await page.evaluate(watchFor, { selectors: ['section[aria-label=Commits] li'] });
  await page.getByRole('tab', { name: 'Commits' }).click();
  const shown = await page.evaluate(seenAfter);
  result(`the newest of ${commits.toLocaleString('en')} commits`, shown, 'ms', 500);
}
