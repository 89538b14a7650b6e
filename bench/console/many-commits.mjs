/** The history of a database that was written to many times, one document after another. */
import { afterFrames, putOneByOne } from './in-page.mjs';

export async function manyCommits({ page, url, result, commits }) {
  const [engine] = page.workers().filter((worker) => worker.url().includes('engine-worker'));
  if (engine === undefined) throw new Error('the page has no engine');
  await page.evaluate(putOneByOne, { script: engine.url(), name: 'diary', commits });
  await page.goto(`${url}/fp/databases/diary/history`);
  await page.getByRole('grid').getByRole('link').first().waitFor();
  await page.evaluate(afterFrames);
  const began = performance.now();
  await page.getByRole('tab', { name: 'Commits' }).click();
  await page.getByRole('region', { name: 'Commits' }).getByRole('listitem').first().waitFor();
  result(
    `the newest of ${commits.toLocaleString('en')} commits`,
    Math.round(performance.now() - began),
    'ms',
    500,
  );
}
