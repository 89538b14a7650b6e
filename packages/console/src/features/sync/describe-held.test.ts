import type { LedgerHoldings } from 'fixpoint';
import { expect, test } from 'vitest';
import { archivesText, besideText, sizeText } from './describe-held.ts';

const held = (more: Partial<LedgerHoldings>): LedgerHoldings => ({
  entries: 1,
  unread: 0,
  head: ['h'],
  missing: [],
  unsent: 0,
  absent: 0,
  archives: 3,
  bytes: 2048,
  unsized: 0,
  replaced: 0,
  knownSince: 1,
  ...more,
});

test('describes equal data, and data that only the device or only the server has', () => {
  expect(besideText(held({}))).toMatch(/have the same data/);
  expect(besideText(held({ unsent: 1 }))).toBe(
    'This device has everything that the server has, and 1 change that the server doesn’t have.',
  );
  expect(besideText(held({ unsent: 1200 }))).toMatch(/1,200 changes that the server doesn’t have/);
  expect(besideText(held({ entries: 0, head: [], unsent: 2 }))).toMatch(
    /^The server has no data yet. This device has 2/,
  );
  expect(besideText(held({ entries: 0, head: [] }))).toMatch(/^Neither/);
});

test('claims nothing that can’t be known', () => {
  expect(besideText(held({ missing: ['x'], unsent: undefined }))).toMatch(
    /1 version that this device hasn’t fetched/,
  );
  expect(besideText(held({ unread: 2, unsent: undefined }))).toMatch(
    /unknown whether the server has all of your changes/,
  );
  expect(sizeText(held({}))).toBe('2 kB in total');
  expect(sizeText(held({ unsized: 1 }))).toMatch(/, and 1 of unknown size/);
  expect(sizeText(held({ unsized: 3, bytes: 0 }))).toBe('Unknown');
});

test('counts replaced archives separately', () => {
  expect(archivesText(held({}))).toBe('3');
  expect(archivesText(held({ replaced: 120 }))).toBe('3, and 120 older ones that they replace');
});

test('reports lost archives of the server before all other differences', () => {
  expect(besideText(held({ absent: 2 }))).toMatch(/^The server lost 2 archives of this database\./);
});
