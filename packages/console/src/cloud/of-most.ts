/** Formats a count, with its limit if the server sends one. */
export const ofMost = (count: number, most: number | undefined): string =>
  most === undefined ? String(count) : `${count} of ${most}`;
