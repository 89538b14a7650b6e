import { describe, expect, test } from 'vitest';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { hasSpecial, isInexpressible, jsonOf, linksIn, readOwnJson } from './own-json.ts';

class Link {
  toString() {
    return 'bafy';
  }
}
const link = new Link();
const NO_LINKS = linksIn([]);
const read = (text: string, links = NO_LINKS) => readOwnJson(text, links);

describe('a value that the user writes as JSON', () => {
  test.each([1, null, 'a', [1, { b: [] }], { a: { b: true } }])('keeps %j', (value) => {
    expect(read(jsonOf(value))).toEqual({ value });
    expect([hasSpecial(value), isInexpressible(value)]).toEqual([false, false]);
  });

  test('keeps bytes, and links of the versions', () => {
    const value = { raw: [Uint8Array.of(1, 2)], to: link };
    expect(JSON.parse(jsonOf(value))).toEqual({ raw: [{ '/': { bytes: 'AQI' } }], to: { '/': 'bafy' } });
    expect(read(jsonOf(value), linksIn([1, { deep: [link] }, Uint8Array.of(1)]))).toEqual({ value });
    expect([hasSpecial(value), hasSpecial([link])]).toEqual([true, true]);
  });

  test.each([
    ['{', /^This isn’t valid JSON yet\.$/],
    ['{"/": "bafy"}', /^You can use only links that are in one of the versions\.$/],
    ['[{"/": {"bytes": "%"}}]', /^Bytes need the form/],
    ['{"/": null}', /^Bytes need the form/],
    ['[{"/": {"bytes": "AQI"}, "note": 1}]', /, without other fields\.$/],
    ['{"/": {"bytes": "AQI", "note": 1}}', /, without other fields\.$/],
    ['{"/": "bafy", "note": 1}', /, without other fields\.$/],
    ['{"a": {"b": 1, "b": 2}}', /^An object has the same field twice\.$/],
    ['[12345678901234567890]', /^12345678901234567890 would become 12345678901234567000\. Write it as text/],
  ])('has a problem: %s', (text, problem) => {
    expect(read(text)).toEqual({ problem: expect.stringMatching(problem) as string });
  });

  test('reports long integers, which JSON can’t express', () => {
    expect([isInexpressible([{ a: 1n }]), isInexpressible(link)]).toEqual([true, false]);
  });

  test.each(HOSTILE_NAMES)('keeps a field named %j', (name) => {
    const value = Object.fromEntries([[name, 1]]);
    expect(read(JSON.stringify(value))).toEqual({ value });
  });
});
