/** A sum of numbers. */
export interface Total {
  /** Adds a number to the sum. */
  add(number: number): void;
  /** Returns the sum of the added numbers, which is 0 without numbers. */
  sum(): number;
}

/**
 * Creates a sum that keeps what rounding takes away from it (Neumaier's summation). Otherwise the
 * sum of many prices would end in digits that no price has, such as 924.4900000000011.
 */
export function createTotal(): Total {
  let sum = 0;
  let rounded = 0;
  return {
    add: (number) => {
      const next = sum + number;
      // After an overflow, the rest would be NaN.
      if (Number.isFinite(next))
        rounded += Math.abs(sum) >= Math.abs(number) ? sum - next + number : number - next + sum;
      sum = next;
    },
    sum: () => sum + rounded,
  };
}
