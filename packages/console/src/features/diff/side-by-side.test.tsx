import { cleanup, render, screen, within } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { SideBySide } from './side-by-side.tsx';

afterEach(cleanup);

/** Renders the two documents, and returns the texts of the cells in each row. */
function compare(before: object | undefined, after: object | undefined) {
  render(<SideBySide {...{ before, after }} beforeLabel="Stored" afterLabel="After saving" />);
  return screen
    .getAllByRole('row')
    .slice(1)
    .map((row) =>
      within(row)
        .getAllByRole('cell')
        .map(({ textContent }) => textContent),
    );
}

const removed = () => [...document.querySelectorAll('del')].map(({ textContent }) => textContent);
const added = () => [...document.querySelectorAll('ins')].map(({ textContent }) => textContent);

describe('two documents side by side', () => {
  test('names both sides', () => {
    compare({ a: 1 }, { a: 2 });
    const [before, after] = screen.getAllByRole('columnheader');
    expect([before?.textContent, after?.textContent]).toEqual(['-Stored', '+After saving']);
  });

  test('marks a changed line as removed, without its indentation, and as added, also for screen readers', () => {
    compare({ litres: 1, shelf: 'A' }, { litres: 2, shelf: 'A' });
    expect([removed(), added()]).toEqual([['"litres": 1,'], ['  "litres": 2,']]);
  });

  test('shows equal lines on both sides, without a mark', () => {
    const rows = compare({ litres: 1, shelf: 'A' }, { litres: 2, shelf: 'A' });
    expect(rows[0]).toEqual([' {', ' {']);
    expect(rows[2]).toEqual(['   "shelf": "A"', '   "shelf": "A"']);
  });

  test('leaves the left side empty for an added line', () => {
    const rows = compare({ a: 1, c: 3 }, { a: 1, b: 2, c: 3 });
    expect(rows[2]).toEqual(['', '+  "b": 2,']);
    expect(removed()).toEqual([]);
  });

  test('shows a created document as added, and a deleted one as removed', () => {
    compare(undefined, { a: 1 });
    expect([removed(), added()]).toEqual([[], ['{', '  "a": 1', '}']]);
    cleanup();
    compare({ a: 1 }, undefined);
    expect([removed(), added()]).toEqual([['{', '"a": 1', '}'], []]);
  });

  test('counts equal lines far from a change instead of showing them', () => {
    const fields = Object.fromEntries(Array.from({ length: 1500 }, (_, n) => [`f${n}`, n]));
    const rows = compare({ ...fields, last: 1 }, { ...fields, last: 2 });
    expect(rows[0]).toEqual(['1,498 equal lines']);
    expect(rows.length).toBeLessThan(10);
  });

  test('counts a single equal line', () => {
    const rows = compare({ a: 1, b: 2, c: 3, d: 1 }, { a: 1, b: 2, c: 3, d: 2 });
    expect(rows[0]).toEqual(['1 equal line']);
  });

  test('shows bytes in the export format, because JSON can’t express them', () => {
    compare({ raw: Uint8Array.of(1, 2) }, { raw: Uint8Array.of(1, 3) });
    expect([removed(), added()]).toEqual([['"bytes": "AQI"'], ['      "bytes": "AQM"']]);
  });

  test('shows markup in a field as text', () => {
    const markup = '<img src=x onerror=alert(1)>';
    compare({ a: markup }, { a: 'b' });
    expect(removed()).toEqual([`"a": "${markup}"`]);
    expect(document.querySelector('img')).toBeNull();
  });
});
