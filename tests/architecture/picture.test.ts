import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { architecturePicture, PICTURE } from '../../scripts/architecture-picture.mjs';
import { PLANS } from './house.ts';

test('shows each package and folder of the plan (node scripts/architecture-picture.mjs draws the picture)', async () => {
  const picture = readFileSync(PICTURE, 'utf8');
  for (const { plan } of PLANS.slice(0, 4))
    for (const place of Object.keys(plan)) expect(picture).toContain(`>${place}`);
  expect(picture === (await architecturePicture())).toBe(true);
});
