/** Splits texts into the words of a full-text index. */

/** Longer words are cut to this number of characters. */
const WORD_MAX = 64;
const WORD = /[\p{L}\p{N}\p{M}]+/gu;
/**
 * Accents and similar marks that several scripts share. Marks of a single script, such as the
 * vowels of Hindi, aren't included, because they distinguish words as letters do. Neither are the
 * voicing marks of Japanese.
 */
const ACCENTS = /(?![\u3099\u309a])(?=\p{Script=Inherited})\p{M}/gu;
/** Scripts whose texts have no spaces between words. */
const UNSPACED =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]+/gu;
// biome-ignore lint/suspicious/noControlCharactersInRegex: ASCII begins with control characters.
const ASCII = /^[\x00-\x7f]*$/;

/**
 * Returns the words of a text in lower case, without accents and similar marks. A text in a script
 * without spaces, such as Chinese or Thai, becomes pairs of characters that follow each other.
 */
export function wordsOf(text: string): readonly string[] {
  if (ASCII.test(text)) return (text.toLowerCase().match(WORD) ?? []).map(cut);
  const plain = text.normalize('NFKD').replace(ACCENTS, '').toLowerCase().normalize('NFC');
  const words = plain.match(WORD) ?? [];
  return plain.search(UNSPACED) < 0 ? words.map(cut) : words.flatMap(partsOf);
}

/** Splits a word where its script changes from one with spaces to one without, or back. */
function partsOf(word: string): readonly string[] {
  const parts: string[] = [];
  let end = 0;
  for (const { 0: run, index } of word.matchAll(UNSPACED)) {
    if (index > end) parts.push(cut(word.slice(end, index)));
    for (const pair of pairsOf(run)) parts.push(pair);
    end = index + run.length;
  }
  if (end < word.length) parts.push(cut(word.slice(end)));
  return parts;
}

function pairsOf(run: string): readonly string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, at) => `${characters[at]}${character}`);
}

const cut = (word: string): string =>
  word.length <= WORD_MAX ? word : [...word].slice(0, WORD_MAX).join('');
