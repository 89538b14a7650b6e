/** What a browser takes for an address in a field of type "email" (HTML standard), with a domain that has a dot. */
const EMAIL =
  /^[a-zA-Z0-9.!#$%&'*+/=?^_`{|}~-]+@[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?)+$/;

/** Whether the text is a whole address (spec §5: only then is anything searched). */
export const isEmail = (text: string): boolean => EMAIL.test(text);
