const TEXT =
  'A part of the console could not be loaded. The server cannot be reached, or has a newer version: load the page again when it answers.';

/** What to say when a script did not come that is loaded when it is needed; undefined for any other failure. */
export const missingScript = (error: unknown): string | undefined =>
  error instanceof TypeError && /dynamically imported|module script/i.test(error.message) ? TEXT : undefined;
