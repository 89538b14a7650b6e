import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { countErrors, errorsAccepted } from './similar-words.ts';

describe('the comparison of words', () => {
  test.each([
    ['cat', 0],
    ['milk', 1],
    ['meeting', 1],
    ['shopping', 2],
    ['2026', 0],
    ['order4711', 0],
    ['東京', 0],
    ['', 0],
  ])('accepts in %j at most these typing errors: %i', (word, errors) => {
    expect(errorsAccepted(word)).toBe(errors);
  });

  test.each([
    ['milk', 'milk', false, 0],
    ['mikl', 'milk', false, 1],
    ['mlk', 'milk', false, 1],
    ['millk', 'milk', false, 1],
    ['mink', 'milk', false, 1],
    ['metting', 'meeting', false, 1],
    ['shoping', 'shopping', false, 1],
    ['shpopnig', 'shopping', false, 2],
    ['milk', 'bread', false, undefined],
    ['milk', 'milkshake', false, undefined],
    ['milk', 'milkshake', true, 0],
    ['metti', 'meeting', true, 1],
    ['milks', 'milk', true, 1],
    ['smörgås', 'smörgos', false, 1],
    ['a😀bc', 'a😁bc', false, 1],
  ] as const)(
    'counts between %j and %j, as a start: %j, these errors: %j',
    (typed, word, isStart, errors) => {
      expect(countErrors(typed, isStart, 2)(word)).toBe(errors);
    },
  );

  test('counts one error that a person makes anywhere in a word, in both directions', () => {
    const letters = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 4, maxLength: 8 });
    const edit = fc.record({ at: fc.nat(7), kind: fc.constantFrom('wrong', 'missing', 'more', 'swapped') });
    fc.assert(
      fc.property(letters, edit, (word, { at, kind }) => {
        const place = at % (word.length - 1);
        const typed: string[] = [...word];
        if (kind === 'wrong') typed[place] = 'x';
        else if (kind === 'missing') typed.splice(place, 1);
        else if (kind === 'more') typed.splice(place, 0, 'x');
        else typed.splice(place, 2, word[place + 1] ?? '', word[place] ?? '');
        const [one, other] = [typed.join(''), word.join('')];
        const errors = countErrors(one, false, 2)(other);
        expect(errors).toBe(one === other ? 0 : 1);
        expect(countErrors(other, false, 2)(one)).toBe(errors);
        expect(countErrors(one, true, 2)(`${other}zzz`)).toBeLessThanOrEqual(1);
      }),
    );
  });
});
