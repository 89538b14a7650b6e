import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { jsonProblem } from './json-problem.ts';

/** Returns what the page says about a text, and the text after the fix. */
function facts(text: string) {
  const found = jsonProblem(text);
  if (found === undefined) return undefined;
  const { line, column, message, fix } = found;
  const fixed = fix && text.slice(0, fix.from) + fix.insert + text.slice(fix.to);
  return [`${line}:${column}`, message, fix?.label, fixed];
}

describe('the first problem of a JSON text', () => {
  test.each([
    [
      '{\n  "scope": M,\n  "n": 1\n}',
      '2:12',
      'Text needs quotes.',
      'Use "M"',
      '{\n  "scope": "M",\n  "n": 1\n}',
    ],
    ['{"a": two words}', '1:7', 'Text needs quotes.', 'Use "two words"', '{"a": "two words"}'],
    ['{"a": \'it\'}', '1:7', 'Text needs double quotes.', 'Use "it"', '{"a": "it"}'],
    ['{"a": True}', '1:7', 'JSON writes true here.', 'Use true', '{"a": true}'],
    ['{a: 1}', '1:2', 'The name of a field needs quotes.', 'Use "a"', '{"a": 1}'],
    ["{'a': 1}", '1:2', 'The name of a field needs double quotes.', 'Use "a"', '{"a": 1}'],
    ['{"a": 1,}', '1:8', 'No comma may follow the last field.', 'Remove the comma', '{"a": 1}'],
    ['{"a": [1,]}', '1:9', 'No comma may follow the last value.', 'Remove the comma', '{"a": [1]}'],
    ['{"a": 1\n "b": 2}', '1:8', 'A comma is missing.', 'Insert a comma', '{"a": 1,\n "b": 2}'],
    ['{"a" 1}', '1:5', 'A colon is missing after the name.', 'Insert a colon', '{"a": 1}'],
    ['{"a": }', '1:7', 'A value is missing.', 'Insert null', '{"a": null }'],
    ['{"a": 1', '1:8', 'The closing } is missing.', 'Add }', '{"a": 1\n}'],
    ['{"a": 1 // one\n}', '1:9', 'JSON has no comments.', 'Remove the comment', '{"a": 1 \n}'],
    ['{"a": "b\n}', '1:7', 'The closing quote of this text is missing.', 'Add the quote', '{"a": "b"\n}'],
    ['{__proto__: 1}', '1:2', 'The name of a field needs quotes.', 'Use "__proto__"', '{"__proto__": 1}'],
  ])('explains %j, and offers a fix that helps', (text, place, message, label, fixed) => {
    expect(facts(text)).toEqual([place, message, label, fixed]);
  });

  test('offers nothing that wouldn’t help', () => {
    expect(facts('{"a": 1} x')).toEqual(['1:10', expect.any(String), undefined, undefined]);
    expect(facts('{"a": .5}')?.[2]).toBe(undefined);
  });

  test('finds none in valid JSON', () => {
    expect(jsonProblem('{"a": [1, null, "b"]}')).toBe(undefined);
  });
});

describe('the fix of a broken text', () => {
  const DOC = {
    name: 'Malay, "macro"',
    scope: 'M',
    speakers: 290000000,
    official: true,
    none: null,
    scripts: ['Latn', 'Arab'],
    centre: { lat: 3.1, lon: 101.7 },
    ['__proto__']: {},
    '': [],
  };
  const TEXT = JSON.stringify(DOC, undefined, 2);
  const broken = fc.tuple(
    fc.nat(TEXT.length - 1),
    fc.constantFrom('', ',', '"', '}', ']', 'x', ':', '//', '\\', '\n'),
  );

  test('never makes the first error come earlier, for any single changed character', () => {
    fc.assert(
      fc.property(broken, ([at, insert]) => {
        const text = TEXT.slice(0, at) + insert + TEXT.slice(at + 1);
        const found = jsonProblem(text);
        if (found?.fix === undefined) return;
        const { from, to, insert: fixed } = found.fix;
        const next = jsonProblem(text.slice(0, from) + fixed + text.slice(to));
        // A comma too many or too few is reported before the white space that follows.
        if (next !== undefined) expect(text.slice(next.at, Math.min(found.at, from))).toMatch(/^[\s,]*$/);
      }),
    );
  });

  test('has a place within the text, and one sentence', () => {
    fc.assert(
      fc.property(broken, ([at, insert]) => {
        const text = TEXT.slice(0, at) + insert + TEXT.slice(at + 1);
        const found = jsonProblem(text);
        if (found === undefined) return;
        const lines = text.split('\n');
        expect(found.at).toBeLessThanOrEqual(text.length);
        expect(found.line).toBeLessThanOrEqual(lines.length);
        expect(found.column).toBeLessThanOrEqual((lines[found.line - 1]?.length ?? 0) + 1);
        expect(found.message).toMatch(/^[A-Z][^.]*\.$/);
      }),
    );
  });

  test('is found exactly for texts that JSON.parse rejects', () => {
    fc.assert(
      fc.property(broken, ([at, insert]) => {
        const text = TEXT.slice(0, at) + insert + TEXT.slice(at + 1);
        let isValid = true;
        try {
          JSON.parse(text);
        } catch {
          isValid = false;
        }
        // A line end inside of a text is the only error that some parsers accept.
        if (insert !== '\n') expect(jsonProblem(text) === undefined).toBe(isValid);
      }),
    );
  });
});
