/**
 * Matches what browsers accept in an `email` field (HTML standard), and requires a dot in the
 * domain.
 */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/;

/** Returns whether the text is a complete address (spec §5: search only then). */
export const isEmail = (text: string): boolean => EMAIL.test(text);
