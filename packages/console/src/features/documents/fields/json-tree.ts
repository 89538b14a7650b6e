/**
 * Reads the text of a document as a tree of fields, and edits fields by changing only their part of
 * the text. So fields keep the order in which they were typed, and numbers keep their digits.
 */
import {
  applyEdits as applied,
  findNodeAtLocation,
  type JSONPath,
  modify,
  type Node,
  parseTree,
} from 'jsonc-parser';
import type { FieldPath } from '../../../values/field-parameter.ts';

export type FieldKind = 'text' | 'number' | 'boolean' | 'null' | 'list' | 'object';

export interface FieldNode {
  readonly path: FieldPath;
  /** The name of a field, or the position in a list. */
  readonly name: string | number;
  readonly kind: FieldKind;
  /** The value of a text; the digits of a number as typed; `true` or `false`. */
  readonly text: string;
  /** Fields of an object, or values of a list. */
  readonly children: readonly FieldNode[];
}

const KINDS: Readonly<Record<string, FieldKind>> = {
  string: 'text',
  number: 'number',
  boolean: 'boolean',
  null: 'null',
  array: 'list',
  object: 'object',
};

/** Returns the fields of a valid document in the order of the text; undefined for other texts. */
export function fieldsInText(text: string): readonly FieldNode[] | undefined {
  const root = parseTree(text, undefined, { disallowComments: true });
  return root?.type === 'object' ? childrenOf(root, text, []) : undefined;
}

function childrenOf(node: Node, text: string, path: FieldPath): readonly FieldNode[] {
  if (node.type === 'array') return (node.children ?? []).map((child, at) => nodeOf(child, text, path, at));
  // Only the last value of a field is saved.
  const fields = new Map<string, FieldNode>();
  for (const { children: [key, value] = [] } of node.children ?? [])
    if (key !== undefined && value !== undefined)
      fields.set(String(key.value), nodeOf(value, text, path, String(key.value)));
  return [...fields.values()];
}

function nodeOf(value: Node, text: string, parent: FieldPath, name: string | number): FieldNode {
  const path = [...parent, name];
  const kind = KINDS[value.type] ?? 'null';
  const written = text.slice(value.offset, value.offset + value.length);
  return {
    path,
    name,
    kind,
    text: kind === 'text' ? String(value.value) : kind === 'list' || kind === 'object' ? '' : written,
    children: childrenOf(value, text, path),
  };
}

/** Returns the names of fields that an object of the text has twice, each once. */
export function repeatedFields(text: string): readonly FieldPath[] {
  const found = new Map<string, FieldPath>();
  for (const { path } of repeats(text)) found.set(JSON.stringify(path), path);
  return [...found.values()];
}

/** Removes all values that aren't saved, because the same field follows in their object. */
export function withoutRepeats(text: string): string {
  let next = text;
  for (const { from, to } of repeats(text).toReversed()) next = next.slice(0, from) + next.slice(to);
  return next;
}

interface Repeat {
  readonly path: FieldPath;
  /** Where the field begins, and where the next one does. */
  readonly from: number;
  readonly to: number;
}

/** Returns the fields that aren't saved, in the order of the text. Skips what is inside of them. */
function repeats(text: string): readonly Repeat[] {
  const found: Repeat[] = [];
  const look = ({ type, children = [] }: Node, path: FieldPath): void => {
    if (type === 'array') for (const [at, item] of children.entries()) look(item, [...path, at]);
    if (type !== 'object') return;
    const nameAt = (at: number) => children[at]?.children?.[0]?.value as unknown;
    const last = new Map(children.map((_, at) => [nameAt(at), at]));
    for (const [at, { offset, children: [, value] = [] }] of children.entries()) {
      const inside = [...path, String(nameAt(at))];
      const after = children[at + 1];
      if (last.get(nameAt(at)) !== at && after !== undefined)
        found.push({ path: inside, from: offset, to: after.offset });
      else if (value !== undefined) look(value, inside);
    }
  };
  const root = parseTree(text);
  if (root !== undefined) look(root, []);
  return found;
}

const FORMAT = { formattingOptions: { insertSpaces: true, tabSize: 2, eol: '\n' } };

const found = (text: string, path: FieldPath): Node | undefined => {
  const root = parseTree(text);
  return root && findNodeAtLocation(root, [...path]);
};

/** Replaces a value by JSON text. */
export function withJsonAt(text: string, path: FieldPath, json: string): string {
  const node = found(text, path);
  return node === undefined
    ? text
    : text.slice(0, node.offset) + json + text.slice(node.offset + node.length);
}

/** Replaces a value; undefined removes it. */
export const withValueAt = (text: string, path: FieldPath, value: unknown): string =>
  applied(text, modify(text, [...path] as JSONPath, value, FORMAT));

/** Removes a field, or a value of a list. */
export function withoutField(text: string, path: FieldPath): string {
  const value = found(text, path);
  const part = value?.parent?.type === 'property' ? value.parent : value;
  const parent = part?.parent;
  if (part === undefined || parent?.children === undefined) return text;
  const at = parent.children.indexOf(part);
  const [before, after] = [parent.children[at - 1], parent.children[at + 1]];
  const [from, to] =
    after !== undefined
      ? [part.offset, after.offset]
      : before !== undefined
        ? [before.offset + before.length, part.offset + part.length]
        : [parent.offset + 1, parent.offset + parent.length - 1];
  return text.slice(0, from) + text.slice(to);
}

/** Adds a field to an object, after the others. */
export const withNewField = (text: string, parent: FieldPath, name: string, value: unknown): string =>
  withValueAt(text, [...parent, name], value);

/** Adds a value at the end of a list. */
export const withNewItem = (text: string, list: FieldPath, value: unknown): string =>
  applied(text, modify(text, [...list, -1] as JSONPath, value, { ...FORMAT, isArrayInsertion: true }));

/** Renames a field, which keeps its place. */
export function withName(text: string, path: FieldPath, name: string): string {
  const field = found(text, path)?.parent;
  const key = field?.children?.[0];
  if (field?.type !== 'property' || key === undefined) return text;
  return text.slice(0, key.offset) + JSON.stringify(name) + text.slice(key.offset + key.length);
}

/** Exchanges a value of a list with its neighbour. */
export function withItemMoved(text: string, path: FieldPath, step: -1 | 1): string {
  const at = path.at(-1);
  const list = path.slice(0, -1);
  if (typeof at !== 'number') return text;
  const [a, b] = [
    found(text, [...list, Math.min(at, at + step)]),
    found(text, [...list, Math.max(at, at + step)]),
  ];
  if (a === undefined || b === undefined) return text;
  const jsonOf = ({ offset, length }: Node) => text.slice(offset, offset + length);
  return (
    text.slice(0, a.offset) +
    jsonOf(b) +
    text.slice(a.offset + a.length, b.offset) +
    jsonOf(a) +
    text.slice(b.offset + b.length)
  );
}

/** Returns why a field can't get this name; undefined if it can. */
export function nameProblem(
  name: string,
  siblings: readonly FieldNode[],
  own?: string | number,
  isTop = true,
): string | undefined {
  if (isTop && name === '_id') return 'The _id of a document can’t be changed.';
  if (name !== own && siblings.some((one) => one.name === name))
    return 'There is already a field of this name.';
  return undefined;
}

export const JSON_NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?(e[+-]?\d+)?$/i;

/** Returns a value of another kind, with as much of the content as that kind can hold. */
export function asKind({ kind, text, children }: FieldNode, next: FieldKind, json: string): string {
  if (kind === next) return json;
  switch (next) {
    case 'text':
      return kind === 'list' || kind === 'object'
        ? JSON.stringify(json)
        : JSON.stringify(kind === 'null' ? '' : text);
    case 'number':
      // Keeps digits that the number will lose, so that the input can say so.
      if (JSON_NUMBER.test(text)) return text;
      return text.trim() !== '' && Number.isFinite(Number(text)) ? String(Number(text)) : '0';
    case 'boolean':
      return text === 'true' ? 'true' : 'false';
    case 'null':
      return 'null';
    case 'list':
      return kind === 'object' ? '[]' : `[${kind === 'null' ? '' : json}]`;
    case 'object':
      return children.length > 0 && kind === 'object' ? json : '{}';
  }
}

/** Returns the JSON text of a value. */
export function jsonAt(text: string, path: FieldPath): string {
  const node = found(text, path);
  return node === undefined ? 'null' : text.slice(node.offset, node.offset + node.length);
}
