import { wordsOf } from './words.ts';

/** A word that documents must contain. */
export interface WantedWord {
  readonly word: string;
  /** Whether longer words that begin with this one count, too. */
  readonly isStart: boolean;
}

/** Maximum number of words in a search. Further words are ignored. */
const WORDS_MAX = 64;

/** Returns the words of a search. The last one may be incomplete. */
export function wantedWords(search: string): readonly WantedWord[] {
  const words = wordsOf(search);
  const last = words.at(-1);
  return [...new Set(words)].slice(0, WORDS_MAX).map((word) => ({ word, isStart: word === last }));
}
