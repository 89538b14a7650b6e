/**
 * Returns a text that is equal for equal inputs of a hook, so that options can be written inline.
 */
export function inputText(input: unknown): string {
  if (Array.isArray(input)) return `[${input.map(inputText).join(',')}]`;
  if (input instanceof Date) return `Date(${input.getTime()})`;
  if (typeof input === 'string') return JSON.stringify(input);
  if (typeof input !== 'object' || input === null) return `${typeof input}(${String(input)})`;
  const parts = Object.entries(input).filter(([, value]) => value !== undefined);
  const texts = parts.map(([name, value]) => `${JSON.stringify(name)}:${inputText(value)}`);
  return `{${texts.sort().join(',')}}`;
}
