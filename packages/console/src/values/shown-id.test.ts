import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shortId, shownId } from './shown-id.ts';

test('shows a visible id unchanged', () => {
  for (const id of ['note', 'a b c', 'a/b?c#d%', "it's", 'a"b', 'größe', '日本語', '~new', '"', '">x', '"a"'])
    expect(shownId(id)).toBe(id);
});

test.each([
  ['an id of only spaces', '  ', '"\\u0020\\u0020"'],
  ['an id that ends with a space', 'a ', '"a\\u0020"'],
  ['an id with two spaces in a row', 'a  b', '"a\\u0020\\u0020b"'],
  ['an empty id', '', '""'],
  ['an id with control characters', 'a\tb\u0007', '"a\\tb\\u0007"'],
  ['an id with a no-break space', 'a\u00a0b', '"a\\u00a0b"'],
  ['an id with a direction mark', 'a\u202eb', '"a\\u202eb"'],
  ['an id of only invisible characters', '\u200b\u3164', '"\\u200b\\u3164"'],
  ['an id with a tag character, which has two code units', '\u{e0061}', '"\\udb40\\udc61"'],
  ['an id that equals the JSON of another id', '"a\\u0020"', '"\\"a\\\\u0020\\""'],
])('shows %s as JSON', (_what, id, shown) => {
  expect(shownId(id)).toBe(shown);
  expect(JSON.parse(shown)).toBe(id);
});

test('never shows two ids as the same text, even if white space is collapsed', () => {
  const char = fc.constantFrom(' ', '"', '\\', '\\u0020', 'a', '\u00a0', '\u200b', '\u202e', '\n', 'é');
  const id = fc.string({ unit: char, maxLength: 5 });
  fc.assert(
    fc.property(id, id, (a, b) => {
      const seen = (text: string) => shownId(text).replace(/\s+/g, ' ').trim();
      if (a !== b) expect(seen(a)).not.toBe(seen(b));
      expect(seen(a)).not.toBe('');
    }),
  );
});

test.each([
  ['the end of an id that the engine chose', '01a20918-44c8-7e53-739f-4bc1606c5a31', '06c5a31'],
  ['an id that a person chose', 'a-rather-long-id-of-a-document', 'a-rather-long-id-of-a-document'],
  ['an invisible id, as JSON', ' ', '"\\u0020"'],
])('shortens ids for tables: shows %s', (_what, id, shown) => {
  expect(shortId(id)).toBe(shown);
});
