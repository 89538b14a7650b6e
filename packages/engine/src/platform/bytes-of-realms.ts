/**
 * jsdom replaces the global `Uint8Array`. Bytes of Node's own functions, such as `TextEncoder`, are
 * then not instances of it, and the engine would reject them in documents and messages. This
 * function makes them instances. A test runner may replace the global again for each file, so it
 * is called whenever a database is opened in a test.
 */
export function acceptBytesOfAllRealms(): void {
  if (new TextEncoder().encode('') instanceof Uint8Array) return;
  Object.defineProperty(Uint8Array, Symbol.hasInstance, { configurable: true, value: isBytes });
}

const isBytes = (value: unknown): boolean =>
  ArrayBuffer.isView(value) && (value as Partial<Uint8Array>)[Symbol.toStringTag] === 'Uint8Array';
