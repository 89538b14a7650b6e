/**
 * Returns a text that is equal for equal inputs of a store, so that options can be written inline.
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

/**
 * Copies options, so that later changes don't affect a store, and proxies of a framework don't
 * reach the engine: a worker can't receive them.
 */
export function plainCopy<T>(input: T): T;
export function plainCopy(input: unknown): unknown {
  if (Array.isArray(input)) return input.map((item: unknown) => plainCopy(item));
  if (typeof input !== 'object' || input === null) return input;
  // Other objects, such as dates and links, are values.
  if (![Object.prototype, null].includes(Object.getPrototypeOf(input))) return input;
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, plainCopy(value)]));
}
