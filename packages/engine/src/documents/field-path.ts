/**
 * Paths to fields of a document, as texts: `city`, `address.city` for a nested field, `tags[]` for
 * each entry of an array, and `lines[].sku` for a field of each entry. In a name, a backslash makes
 * the next character ordinary: `a\.b` is the field whose name is `a.b`.
 */
import { FixpointError } from '@fixpoint/protocol';
import { isLink } from '../codec/link.ts';

interface Step {
  readonly name: string;
  /** Whether the path continues with each entry of the array in this field. */
  readonly isEach: boolean;
}

export interface FieldPath {
  /** Equal paths have equal texts. */
  readonly text: string;
  /** The outermost field. */
  readonly root: string;
  readonly steps: readonly Step[];
  /** Whether the path leads through entries of arrays, and so to any number of values. */
  readonly isMulti: boolean;
}

/** Maximum number of names in a path. */
const STEPS_MAX = 20;
const NEEDS_BACKSLASH = /[\\.[\]]/g;

/**
 * Returns the text of the path of a top-level field with any name, for `where`, `sort` and
 * `indexes`.
 */
export const fieldPath = (name: string): string =>
  RESERVED.has(name) ? `\\${name}` : pathOfField(name).text;

/** Names that combine conditions in `where`. */
const RESERVED: ReadonlySet<string> = new Set(['and', 'or', 'not']);

export const pathOfField = (name: string): FieldPath => pathOf([{ name, isEach: false }]);

/**
 * Parses a path.
 * @returns undefined for a text that is not a path
 */
export function parsePath(text: string): FieldPath | undefined {
  const steps: Step[] = [];
  let name = '';
  let isEach = false;
  const end = () => {
    steps.push({ name, isEach });
    name = '';
    isEach = false;
  };
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '.') {
      end();
    } else if (char === '[') {
      if (isEach || text.charAt(at + 1) !== ']') return undefined;
      isEach = true;
      at += 1;
    } else if (isEach || char === ']') {
      return undefined;
    } else if (char === '\\') {
      at += 1;
      if (at === text.length) return undefined;
      name += text.charAt(at);
    } else {
      name += char;
    }
  }
  end();
  return steps.length > STEPS_MAX ? undefined : pathOf(steps);
}

/** @throws FixpointError QUERY_INVALID for a text that is not a path */
export function requirePath(text: string): FieldPath {
  const path = parsePath(text);
  if (path === undefined) throw new FixpointError('QUERY_INVALID', `${JSON.stringify(text)} is not a field`);
  return path;
}

function pathOf(steps: readonly Step[]): FieldPath {
  const texts = steps.map(({ name, isEach }) => name.replace(NEEDS_BACKSLASH, '\\$&') + (isEach ? '[]' : ''));
  return {
    text: texts.join('.'),
    root: steps[0]?.name ?? '',
    steps,
    isMulti: steps.some(({ isEach }) => isEach),
  };
}

/**
 * Returns the values at a path. A path without `[]` has one value, which is undefined if the
 * document lacks the field.
 */
export function valuesAt(path: FieldPath, doc: object): readonly unknown[] {
  let values: readonly unknown[] = [doc];
  for (const { name, isEach } of path.steps) {
    const next = values.map((value) => fieldOf(value, name));
    values = isEach ? next.flatMap((value) => (Array.isArray(value) ? value : [])) : next;
  }
  return path.isMulti ? values.filter((value) => value !== undefined) : values;
}

/** Like {@link valuesAt}, for a path without `[]`. */
export function valueAt({ steps }: FieldPath, doc: object): unknown {
  let value: unknown = doc;
  for (const { name } of steps) value = fieldOf(value, name);
  return value;
}

function fieldOf(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  if (Array.isArray(value) || value instanceof Uint8Array || isLink(value)) return undefined;
  return (value as Record<string, unknown>)[name];
}
