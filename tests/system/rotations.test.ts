/** Rotations of ledgers with a membership log, between Node and a real browser. */
import { expect, onTestFinished, test } from 'vitest';
import { launchChromium } from './product.fixture.ts';
import * as here from './rotations-page.fixture.ts';
import { servedPage } from './served-page.fixture.ts';

declare const window: typeof here;

test('accepts the rotations of a browser in Node, and those of Node in a browser', async () => {
  const served = await servedPage('rotations-page.fixture.ts');
  onTestFinished(served.close);
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await browser.newPage();
  await page.goto(served.url);
  await page.waitForFunction(() => 'check' in window);
  const place = Array.from({ length: 32 }, (_, at) => at);
  const devices = [await here.newDevice(), await page.evaluate(() => window.newDevice())];
  const texts = [
    await here.rotate(devices, place),
    await page.evaluate(([all, at]) => window.rotate(all, at), [devices, place] as const),
  ];
  for (const text of texts) {
    const given = [text, devices[1] as number[], 1, place] as const;
    expect(await here.check(text, devices[0] as number[], 0, place)).toBe(true);
    expect(await page.evaluate((all) => window.check(...all), given)).toBe(true);
    const elsewhere = [text, devices[1] as number[], 1, place.toReversed()] as const;
    expect(await page.evaluate((all) => window.check(...all), elsewhere)).toBe(false);
  }
});
