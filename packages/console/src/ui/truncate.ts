/** At most `most` characters; the full name goes into the title. */
export const truncate = (name: string, most: number): string =>
  name.length <= most ? name : `${name.slice(0, most)}…`;
