import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { forgetKept, hasKept, useKept } from './use-kept.ts';

afterEach(cleanup);

test('keeps a value for each name while the page lasts, and forgets some or all of them on request', () => {
  const page = {};
  const draw = (name: string, of: object = page) => renderHook(() => useKept(of, name, 0)).result;
  const first = draw('a');
  act(() => first.current[1]((now) => now + 1));
  act(() => first.current[1]((now) => now + 1));
  expect(first.current[0]).toBe(2);
  expect([draw('a'), draw('b'), draw('a', {})].map(({ current }) => current[0])).toEqual([2, 0, 0]);
  const third = draw('choices b');
  act(() => third.current[1](() => 3));
  forgetKept(page, 'b');
  expect([draw('choices b').current[0], draw('a').current[0]]).toEqual([0, 2]);
  expect(hasKept(page)).toBe(true);
  forgetKept(page);
  expect(hasKept(page)).toBe(false);
  expect(draw('a').current[0]).toBe(0);
});
