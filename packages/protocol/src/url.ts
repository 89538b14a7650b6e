/**
 * Returns the URL that a text parses to, or undefined. `URL.canParse` can't be used: once Node 20
 * has compiled it, after many calls, it accepts non-ASCII letters that the constructor rejects.
 */
export function urlOf(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
