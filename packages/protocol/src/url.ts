/**
 * The address that a text is; undefined for what is none. `URL.canParse` of Node 20 is no answer: called so often that it is compiled, it lets letters beyond ASCII
 * through that the constructor refuses.
 */
export function urlOf(text: string, base?: string): URL | undefined {
  try {
    return new URL(text, base);
  } catch {
    return undefined;
  }
}
