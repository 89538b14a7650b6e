import { expect, test } from 'vitest';
import { cachedByText } from './key-records.ts';

/** Returns the texts that the function computed, in order. */
function computedFor(limits: { texts: number; chars: number }, texts: readonly string[]): string[] {
  const computed: string[] = [];
  const cached = cachedByText((text) => {
    computed.push(text);
    return text === 'none' ? undefined : text.length;
  }, limits);
  for (const text of texts) expect(cached(text)).toBe(text === 'none' ? undefined : text.length);
  return computed;
}

test('computes each text once, also if there is no result', () => {
  const limits = { texts: 10, chars: 100 };
  expect(computedFor(limits, ['a', 'none', 'a', 'none', 'b'])).toEqual(['a', 'none', 'b']);
});

test('forgets all texts when their number reaches the limit', () => {
  const limits = { texts: 2, chars: 100 };
  expect(computedFor(limits, ['a', 'b', 'a', 'c', 'a', 'c'])).toEqual(['a', 'b', 'c', 'a']);
});

test('forgets all texts when their length reaches the limit', () => {
  const limits = { texts: 100, chars: 5 };
  expect(computedFor(limits, ['aa', 'bbb', 'aa', 'c', 'aa', 'c'])).toEqual(['aa', 'bbb', 'c', 'aa']);
  expect(computedFor(limits, ['longer', 'longer', 'x', 'longer'])).toEqual(['longer', 'x', 'longer']);
});
