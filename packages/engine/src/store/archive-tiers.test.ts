import { LIMITS } from '@fixpoint/protocol';
import { expect, test } from 'vitest';
import { ArchiveTiers, SMALL_BYTES } from './archive-tiers.ts';

test.each([
  ['of single writes', 1, 100],
  ['just below the size of merged archives', LIMITS.archiveBytesThreshold / 16 - 1, 100],
  ['of earlier merges', LIMITS.archiveBytesThreshold / 16, 8],
  ['just below half the threshold', SMALL_BYTES - 1, 8],
])('merges archives %s when there are more than their tier allows', (_, bytes, archivesMax) => {
  const tiers = new ArchiveTiers();
  for (let n = 0; n < archivesMax; n++) tiers.count(bytes, 1);
  expect([tiers.isFull(), tiers.isFull(bytes)]).toEqual([false, false]);
  tiers.count(bytes, 1);
  expect([tiers.isFull(), tiers.isFull(bytes)]).toEqual([true, true]);
  tiers.count(bytes, -1);
  expect([tiers.isFull(), tiers.isFull(bytes)]).toEqual([false, false]);
});

test('never merges archives of at least half the threshold, however many there are', () => {
  const tiers = new ArchiveTiers();
  for (const bytes of [SMALL_BYTES, LIMITS.archiveBytesThreshold])
    for (let n = 0; n < 1000; n++) tiers.count(bytes, 1);
  expect([tiers.isFull(), tiers.isFull(SMALL_BYTES)]).toEqual([false, false]);
});
