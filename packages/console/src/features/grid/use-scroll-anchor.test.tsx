import { cleanup, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, test } from 'vitest';
import { useScrollAnchor } from './use-scroll-anchor.ts';

afterEach(cleanup);

const ROW = 40;

/** Anchors a list of ids in an element that the test scrolls. */
function anchored(first: readonly string[]) {
  const scroller = { current: document.createElement('div') };
  const { result, rerender } = renderHook(
    ({ ids }) => {
      const idAt = (at: number) => ids[at];
      // Like the rows of a grid, each list gets a new function.
      const indexOf = indexOfs.get(ids) ?? ((id: string) => (ids.includes(id) ? ids.indexOf(id) : undefined));
      indexOfs.set(ids, indexOf);
      return useScrollAnchor(scroller, idAt, indexOf, ROW);
    },
    { initialProps: { ids: first } },
  );
  return {
    top: () => scroller.current.scrollTop,
    scroll: (px: number) => {
      scroller.current.scrollTop = px;
      result.current();
    },
    become: (ids: readonly string[]) => rerender({ ids }),
  };
}

const indexOfs = new Map<readonly string[], (id: string) => number | undefined>();
const IDS = Array.from({ length: 50 }, (_, n) => `d-${n}`);

describe('the position of a list whose rows change', () => {
  test('keeps the top row in place, to the pixel, when rows are added above it', () => {
    const { scroll, become, top } = anchored(IDS);
    scroll(10 * ROW + 15);
    become(['a', 'b', ...IDS]);
    expect(top()).toBe(12 * ROW + 15);
  });

  test('keeps the top row in place when rows above it are removed', () => {
    const { scroll, become, top } = anchored(IDS);
    scroll(10 * ROW + 15);
    become(IDS.slice(4));
    expect(top()).toBe(6 * ROW + 15);
  });

  test('keeps the top row in place through several changes without scrolling in between', () => {
    const { scroll, become, top } = anchored(IDS);
    scroll(10 * ROW);
    become(['a', ...IDS]);
    become(['a', 'b', 'c', ...IDS]);
    expect(top()).toBe(13 * ROW);
    become(IDS);
    expect(top()).toBe(10 * ROW);
  });

  test('stays at the very top, so that new first rows are visible', () => {
    const { scroll, become, top } = anchored(IDS);
    scroll(10 * ROW);
    scroll(0);
    become(['a', 'b', ...IDS]);
    expect(top()).toBe(0);
  });

  test('doesn’t change when rows below the top row change', () => {
    const { scroll, become, top } = anchored(IDS);
    scroll(10 * ROW + 15);
    become([...IDS, 'z']);
    expect(top()).toBe(10 * ROW + 15);
  });

  test('doesn’t change when the top row itself is removed', () => {
    const { scroll, become, top } = anchored(IDS);
    scroll(10 * ROW + 15);
    become(IDS.filter((id) => id !== 'd-10'));
    expect(top()).toBe(10 * ROW + 15);
  });

  test('keeps the row in place that was at the top after the last scroll', () => {
    const { scroll, become, top } = anchored(IDS);
    scroll(10 * ROW);
    scroll(20 * ROW);
    become(IDS.filter((id) => id !== 'd-15'));
    expect(top()).toBe(19 * ROW);
  });

  test('uses the top row as its anchor once the row has loaded', () => {
    const { scroll, become, top } = anchored([]);
    scroll(3 * ROW);
    become(IDS);
    expect(top()).toBe(3 * ROW);
    become(['a', ...IDS]);
    expect(top()).toBe(4 * ROW);
  });
});
