/** Compares words that were typed with the words of an index. */

/** Minimum lengths of a word in which one and two typing errors are accepted. */
const [ONE_FROM, TWO_FROM] = [4, 8];
/** Numbers and codes have no typing errors: another number is another thing. */
const DIGIT = /\p{N}/u;

/** Returns the number of typing errors that are accepted in a word. */
export function errorsAccepted(word: string): number {
  const { length } = [...word];
  if (length < ONE_FROM || DIGIT.test(word)) return 0;
  return length < TWO_FROM ? 1 : 2;
}

/**
 * Returns a function that counts the typing errors between `typed` and another word, up to `most`,
 * and returns undefined if there are more. An error is a wrong, a missing or an additional
 * character, or two characters in the wrong order.
 * @param isStart whether the other word may be longer, as while somebody types
 */
export function countErrors(
  typed: string,
  isStart: boolean,
  most: number,
): (word: string) => number | undefined {
  const wanted = [...typed];
  return (word) => {
    const other = [...word];
    if (other.length < wanted.length - most) return undefined;
    if (!isStart && other.length > wanted.length + most) return undefined;
    // Distances to the first characters of the other word: of the last row, and of the one before.
    let before: number[] = [];
    let row = Array.from({ length: Math.min(other.length, wanted.length + most) + 1 }, (_, at) => at);
    for (const [at, character] of wanted.entries()) {
      const next = [at + 1];
      for (let to = 1; to < row.length; to++) {
        const isSame = character === other[to - 1];
        let least = Math.min(
          (row[to] ?? 0) + 1,
          (next[to - 1] ?? 0) + 1,
          (row[to - 1] ?? 0) + (isSame ? 0 : 1),
        );
        const isSwapped = at > 0 && to > 1 && character === other[to - 2] && wanted[at - 1] === other[to - 1];
        if (isSwapped) least = Math.min(least, (before[to - 2] ?? 0) + 1);
        next.push(least);
      }
      if (leastOf(next) > most) return undefined;
      [before, row] = [row, next];
    }
    const errors = isStart ? leastOf(row) : (row[other.length] ?? most + 1);
    return errors <= most ? errors : undefined;
  };
}

const leastOf = (counts: readonly number[]): number => counts.reduce((least, one) => Math.min(least, one));
