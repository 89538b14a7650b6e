const TEXT =
  'A part of the console could not be loaded. The server cannot be reached, or has a newer version: load the page again when it answers.';

/**
 * Returns a message for a lazily loaded script that failed to load; undefined for any other error.
 */
export const missingScript = (error: unknown): string | undefined =>
  error instanceof TypeError && /dynamically imported|module script/i.test(error.message) ? TEXT : undefined;
