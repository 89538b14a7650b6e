/** How many there are, and how many there may be where the server says that. */
export const ofMost = (count: number, most: number | undefined): string =>
  most === undefined ? String(count) : `${count} of ${most}`;
