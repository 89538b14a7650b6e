import { LIMITS } from '@fixpoint/protocol';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  asciiId,
  BEFORE_ANOTHER,
  bitOf,
  type Choices,
  type Fate,
  FIXED,
  fateOf,
  idFault,
  KINDS,
  type Kind,
  maskOf,
  SKIP,
  SKIPPED,
  SUGGESTED,
  TEXTS,
  wellFormedText,
} from './problems.ts';

describe('ids', () => {
  test.each(['a', ' ', '~', 'a b', '__proto__', 'x'.repeat(LIMITS.docKeyBytesMax)])('accepts %j', (id) => {
    expect(idFault(id)).toBeUndefined();
  });

  test.each([
    [7, /must be text/],
    [null, /must be text/],
    ['', /at least one character/],
    ['Zürich', /printable ASCII/],
    ['a\tb', /printable ASCII/],
    ['\u007f', /printable ASCII/],
    ['x'.repeat(LIMITS.docKeyBytesMax + 1), /at most 4,096 characters/],
    ['baembeiarootfireproofgenesisblockaaaafireproofgenesisblocka', /uses this id itself/],
  ])('rejects %j', (id, why) => {
    expect(idFault(id)).toMatch(why);
  });

  test.each([
    ['Zürich', 'Zurich'],
    ['straße', 'strasse'],
    ['Łódź', 'Lodz'],
    ['Ærø', 'AEro'],
    ['ﬁn', 'fin'],
    ['a\nb', 'a%0Ab'],
    ['東京', '%E6%9D%B1%E4%BA%AC'],
    ['\ud800', '%EF%BF%BD'],
    [7, '7'],
    [true, 'true'],
    [{ $oid: '65a1' }, '65a1'],
  ])('converts %j to %s', (id, expected) => {
    expect(asciiId(id)).toBe(expected);
  });

  test.each([null, undefined, '', {}, [], { $oid: null }, 'x'.repeat(5000)])('doesn’t convert %j', (id) => {
    expect(asciiId(id)).toBeUndefined();
  });

  test('converts any text to a valid id or not at all', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const id = asciiId(text);
        expect(id === undefined || idFault(id) === undefined).toBe(true);
      }),
      { numRuns: 100 },
    );
  });
});

test('replaces only halves of characters', () => {
  expect(wellFormedText('a\ud83d\ude00b')).toBe('a\ud83d\ude00b');
  expect(wellFormedText('a\ud83d')).toBe('a\uFFFD');
  expect(wellFormedText('\ude00\ud83d\ude00')).toBe('\uFFFD\ud83d\ude00');
});

describe('the fate of a row', () => {
  const EXISTS = bitOf('exists');
  const ZERO = bitOf('zero');
  const ID = bitOf('id');
  const chosen = (more: Partial<Choices>): Choices => ({ ...SUGGESTED, ...more });

  test.each<[string, number, Partial<Choices>, Fate]>([
    ['has no problem', 0, {}, 'added'],
    ['has a fix', ZERO, {}, 'added'],
    ['is skipped', ZERO, { zero: SKIP }, 'skipped'],
    ['is not JSON', bitOf('syntax'), {}, 'skipped'],
    ['marks a deletion', bitOf('deleted'), {}, 'skipped'],
    ['exists', EXISTS, {}, 'kept'],
    ['exists and is replaced', EXISTS, { exists: 'replace' }, 'replaced'],
    ['exists and is copied', EXISTS, { exists: 'new' }, 'added'],
    ['exists, has a fix and is replaced', EXISTS | ZERO, { exists: 'replace' }, 'replaced'],
    ['exists and is skipped', EXISTS | ZERO, { exists: 'replace', zero: SKIP }, 'skipped'],
    ['has an invalid id', ID, {}, 'added'],
    ['has an invalid id that gets a new one', ID | EXISTS, { id: 'new' }, 'added'],
    ['has a converted id that exists', ID | EXISTS, {}, 'kept'],
  ])('decides about a row that %s', (_name, mask, more, expected) => {
    expect(fateOf(mask, chosen(more))).toBe(expected);
  });

  test.each<[string, number, Partial<Choices>, Fate]>([
    ['has no other problem', 0, {}, 'skipped'],
    ['gets a new id', 0, { twice: 'new' }, 'added'],
    ['gets a new id although it exists', EXISTS, { twice: 'new' }, 'added'],
    ['is skipped for another problem', ZERO, { twice: 'new', zero: SKIP }, 'skipped'],
  ])('decides about a row that repeats an id and %s', (_name, mask, more, expected) => {
    expect(fateOf(mask, chosen(more), true)).toBe(expected);
  });

  test('never depends on choices for problems that the row lacks', () => {
    const kind = fc.constantFrom(...KINDS);
    fc.assert(
      fc.property(fc.uniqueArray(kind), kind, (kinds, other) => {
        if (kinds.includes(other)) return;
        const mask = maskOf(kinds.map((one) => ({ kind: one })));
        for (const { value } of TEXTS[other].choices)
          expect(fateOf(mask, chosen({ [other]: value }))).toBe(fateOf(mask, SUGGESTED));
      }),
    );
  });
});

describe('choices', () => {
  test.each(KINDS)('suggests something for %s that people can choose', (kind) => {
    const values = TEXTS[kind].choices.map(({ value }) => value);
    expect(values).toContain(SUGGESTED[kind]);
    expect(values).toContain(SKIPPED[kind]);
    expect(values).toContain(FIXED[kind]);
    expect(new Set(values).size).toBe(values.length);
  });

  test('skips or fixes all kinds of problems that allow it', () => {
    const skipped = KINDS.filter((kind) => SKIPPED[kind] === SKIP);
    expect(KINDS.filter((kind) => !skipped.includes(kind))).toEqual<Kind[]>(['twice', 'exists']);
    expect(KINDS.filter((kind) => FIXED[kind] === SKIP)).toEqual<Kind[]>(['syntax', 'shape']);
  });

  test('gives each kind a bit of its own', () => {
    expect(new Set(KINDS.map(bitOf)).size).toBe(KINDS.length);
    expect(KINDS.map(bitOf)).not.toContain(BEFORE_ANOTHER);
    expect(maskOf([{ kind: 'zero' }, { kind: 'zero' }, { kind: 'id' }])).toBe(bitOf('zero') | bitOf('id'));
  });
});
