/** Names that have a special meaning for a plain object, a promise, an address or a form. */
export const HOSTILE_NAMES: readonly string[] = [
  'constructor',
  '__proto__',
  'toString',
  'hasOwnProperty',
  'valueOf',
  'then',
  'prototype',
  '__defineGetter__',
  '',
  ' ',
  '-minus',
  '"quoted"',
  "'apostrophe",
  '=1+1',
  'a.b',
  '[0]',
  'n'.repeat(10_000),
];

/**
 * The names that are valid document ids: not empty, and at most 4,096 printable ASCII characters.
 */
export const HOSTILE_IDS: readonly string[] = HOSTILE_NAMES.filter(
  (name) => name !== '' && name.length <= 4096,
);

/** Returns a document with an own field for each of the names. */
export const withEveryName = (
  id: string,
  value: (name: string, at: number) => unknown,
): Readonly<Record<string, unknown>> =>
  Object.fromEntries([['_id', id], ...HOSTILE_NAMES.map((name, at) => [name, value(name, at)])]);
