/** The fields that some documents have, with nested ones and with frequent values. */

import type { FieldUses } from 'fixpoint/rows';
import { documentsText } from '../../undo/undo-stack.ts';
import { pathOf, type Step } from '../../values/field-path.ts';
import type { KnownPath } from './complete-filter.ts';

const DEPTH_MAX = 4;
const PATHS_MAX = 400;
/** Values longer than this are rarely typed. */
const VALUE_CHARS_MAX = 60;
const VALUES_MAX = 12;
const DISTINCT_MAX = 200;

interface Seen {
  readonly path: string;
  documents: number;
  /** Frequencies of values, by their JSON. */
  readonly values: Map<string, { readonly value: unknown; count: number }>;
}

/** Returns the paths in a sample of documents. */
export function pathsIn(docs: readonly object[]): readonly KnownPath[] {
  const seen = new Map<string, Seen>();
  for (const doc of docs) {
    const counted = new Set<string>();
    visitFields(doc, [], (steps, value) => add(seen, counted, pathOf(steps), value));
  }
  return [...seen.values()].map(({ path, documents, values }) => ({
    path,
    detail: `${documents} of the first ${docs.length}`,
    values: [...values.values()]
      .sort((a, b) => b.count - a.count)
      .slice(0, VALUES_MAX)
      .map(({ value }) => value),
  }));
}

function add(seen: Map<string, Seen>, counted: Set<string>, path: string, value: unknown): void {
  let known = seen.get(path);
  if (known === undefined) {
    if (seen.size >= PATHS_MAX) return;
    known = { path, documents: 0, values: new Map() };
    seen.set(path, known);
  }
  if (!counted.has(path)) known.documents += 1;
  counted.add(path);
  if (value !== null && typeof value === 'object') return;
  const text = JSON.stringify(value) ?? '';
  if (text === '' || text.length > VALUE_CHARS_MAX) return;
  const found = known.values.get(text);
  if (found !== undefined) found.count += 1;
  else if (known.values.size < DISTINCT_MAX) known.values.set(text, { value, count: 1 });
}

type Visit = (steps: readonly Step[], value: unknown) => void;

function visitFields(object: object, above: readonly Step[], visit: Visit): void {
  if (above.length >= DEPTH_MAX) return;
  for (const [name, value] of Object.entries(object)) {
    visit([...above, { name, isEach: false }], value);
    if (Array.isArray(value)) visitEntries(value, [...above, { name, isEach: true }], visit);
    else if (isPlainObject(value)) visitFields(value, [...above, { name, isEach: false }], visit);
  }
}

function visitEntries(list: readonly unknown[], steps: readonly Step[], visit: Visit): void {
  for (const entry of list) {
    if (isPlainObject(entry)) visitFields(entry, steps, visit);
    else visit(steps, entry);
  }
}

function isPlainObject(value: unknown): value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Combines the counted fields of all documents with the paths of a sample. */
export function knownPaths(
  fields: readonly string[],
  uses: FieldUses,
  sample: readonly KnownPath[],
): readonly KnownPath[] {
  const counts = new Map(uses.map(({ field, documents }) => [field, documents]));
  const sampled = new Map(sample.map((one) => [one.path, one]));
  const top = fields.map((name): KnownPath => {
    const path = pathOf([{ name, isEach: false }]);
    const count = counts.get(name);
    const found = sampled.get(path);
    return {
      path,
      detail: count === undefined ? (found?.detail ?? '') : documentsText(count),
      values: found?.values ?? [],
    };
  });
  const known = new Set(top.map(({ path }) => path));
  return [...top, ...sample.filter(({ path }) => !known.has(path))];
}
