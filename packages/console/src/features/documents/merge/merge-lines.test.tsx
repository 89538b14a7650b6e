import { cleanup, render } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { MergeLines, type MergeLinesProps } from './merge-lines.tsx';

afterEach(cleanup);

const SIDES = { mine: 'Ada', other: 'Grace', isMerged: false };

function draw(given: Partial<MergeLinesProps> = {}) {
  const { container } = render(<MergeLines {...SIDES} {...given} />);
  return {
    texts: [...container.querySelectorAll('text')].map(({ textContent }) => textContent),
    dashed: container.querySelectorAll('[stroke-dasharray]').length,
  };
}

describe('the lines of a merge', () => {
  test('names both sides, and the day on which they parted', () => {
    const baseMs = new Date(2026, 10, 20, 12).getTime();
    expect(draw({ baseMs }).texts).toEqual(['Nov 20', 'Ada', 'Grace', 'merged']);
  });

  test('shows no day if nobody knows it', () => {
    expect(draw().texts).toEqual(['Ada', 'Grace', 'merged']);
    expect(draw({ baseMs: undefined }).texts).toHaveLength(3);
  });

  test('draws the merged part as a dashed line until all conflicts are decided', () => {
    expect([draw().dashed, draw({ isMerged: true }).dashed]).toEqual([1, 0]);
  });
});
