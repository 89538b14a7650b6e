import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { useRunOnTyping } from './use-run-on-typing.ts';

beforeEach(() => {
  localStorage.clear();
  vi.useFakeTimers();
});
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

function runner(first?: string) {
  const ran: string[] = [];
  const run = async (source: string) => void ran.push(source);
  const { result, unmount } = renderHook(() => useRunOnTyping(run, first));
  return { ran, now: () => result.current, unmount, pass: () => act(() => vi.advanceTimersByTime(1000)) };
}

describe('running a query while it is typed', () => {
  test('runs the last text when typing stops', () => {
    const { ran, now, pass } = runner();
    now().typed('(doc)');
    now().typed('(doc) => doc.x');
    expect(ran).toEqual([]);
    pass();
    expect(ran).toEqual(['(doc) => doc.x']);
  });

  test('runs the first text at once and once, unless the user turned it off', () => {
    const { ran, now } = runner('(doc)');
    expect(ran).toEqual(['(doc)']);
    act(() => now().turn(false));
    expect([ran, runner('(doc)').ran]).toEqual([['(doc)'], []]);
  });

  test('doesn’t run the text again when the user runs the query before typing stops', () => {
    const { ran, now, pass } = runner();
    now().typed('(doc)');
    now().stop();
    pass();
    expect(ran).toEqual([]);
  });

  test('runs nothing after the user turns it off, also on the next page', () => {
    const { ran, now, pass } = runner();
    now().typed('(doc)');
    act(() => now().turn(false));
    now().typed('(doc) => 1');
    pass();
    expect([ran, now().isOn, runner().now().isOn]).toEqual([[], false, false]);
  });

  test('runs nothing after the user leaves the page', () => {
    const { ran, now, unmount, pass } = runner();
    now().typed('(doc)');
    unmount();
    pass();
    expect(ran).toEqual([]);
  });
});
