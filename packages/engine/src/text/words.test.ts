import { describe, expect, test } from 'vitest';
import { wantedWords } from './wanted-words.ts';
import { wordsOf } from './words.ts';

describe('wordsOf', () => {
  test.each([
    ['The quick, brown fox!', ['the', 'quick', 'brown', 'fox']],
    ['', []],
    ['  -- … ', []],
    ['Straße CAFÉ naïve Ångström', ['straße', 'cafe', 'naive', 'angstrom']],
    ['v2.10 x-ray 3D', ['v2', '10', 'x', 'ray', '3d']],
    ['Привет, мир', ['привет', 'мир']],
    ['東京都', ['東京', '京都']],
    ['हिन्दी में', ['हिन्दी', 'में']],
    ['がか', ['がか']],
    ['ไทย', ['ไท', 'ทย']],
    ['水', ['水']],
    ['abc東京x', ['abc', '東京', 'x']],
    ['ﬁne ²', ['fine', '2']],
    ['\ud800 lone', ['lone']],
  ])('splits %j', (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  test('cuts a long word to whole characters', () => {
    expect(wordsOf(`${'x'.repeat(100)} y`)).toEqual(['x'.repeat(64), 'y']);
    expect(wordsOf('𝒳'.repeat(100).normalize('NFKD'))[0]).toHaveLength(64);
    expect(wordsOf('𐐨'.repeat(100))[0]).toBe('𐐨'.repeat(64));
  });

  test('returns the same words for composed and decomposed characters', () => {
    expect(wordsOf('한국어 é'.normalize('NFD'))).toEqual(wordsOf('한국어 é'.normalize('NFC')));
  });
});

test('marks the last wanted word as the start of longer words', () => {
  expect(wantedWords('Buy milk buy')).toEqual([
    { word: 'buy', isStart: true },
    { word: 'milk', isStart: false },
  ]);
  expect(wantedWords(' ')).toEqual([]);
});
