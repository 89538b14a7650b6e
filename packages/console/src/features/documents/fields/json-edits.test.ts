import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FieldPath } from '../../../values/field-parameter.ts';
import { HOSTILE_NAMES } from '../../../values/hostile-names.fixture.ts';
import { dateIn } from './date-text.ts';
import {
  asKind,
  type FieldKind,
  type FieldNode,
  fieldsInText,
  jsonAt,
  withItemMoved,
  withJsonAt,
  withName,
  withNewField,
  withNewItem,
  withoutField,
} from './json-tree.ts';

const KINDS: readonly FieldKind[] = ['text', 'number', 'boolean', 'null', 'list', 'object'];

const names = fc.oneof(fc.constantFrom(...HOSTILE_NAMES.filter(({ length }) => length < 100)), fc.string());
const documents = fc
  .dictionary(names, fc.jsonValue({ maxDepth: 3 }), { minKeys: 1, noNullPrototype: true })
  .map((doc) => JSON.parse(JSON.stringify(doc)) as Readonly<Record<string, unknown>>);
/** Texts in the forms in which people write JSON. */
const texts = fc
  .tuple(documents, fc.constantFrom(0, 2, '\t'))
  .map(([doc, space]) => JSON.stringify(doc, undefined, space));

const nodesIn = (nodes: readonly FieldNode[]): readonly FieldNode[] =>
  nodes.flatMap((node) => [node, ...nodesIn(node.children)]);
const nodesOf = (text: string) => nodesIn(fieldsInText(text) ?? []);

/** Runs for a document and one of its values. */
const forEachValue = (check: (text: string, node: FieldNode) => void) =>
  fc.assert(
    fc.property(texts, fc.nat(), (text, pick) => {
      const nodes = nodesOf(text);
      const node = nodes[pick % nodes.length];
      if (node !== undefined) check(text, node);
    }),
    { numRuns: 200 },
  );

/** Returns the value at a path, of which every part exists. */
const valueAt = (doc: unknown, path: FieldPath): unknown =>
  path.reduce<unknown>((value, part) => Object.getOwnPropertyDescriptor(value, part)?.value, doc);
const parse = (text: string): unknown => JSON.parse(text);
const parentOf = (path: FieldPath) => path.slice(0, -1);

describe('the tree of any text', () => {
  test('has exactly the values of the document, with their kinds', () => {
    fc.assert(
      fc.property(texts, (text) => {
        for (const { path, kind, children, text: shown } of nodesOf(text)) {
          const value = valueAt(parse(text), path);
          if (Array.isArray(value)) expect([kind, children.length]).toEqual(['list', value.length]);
          else if (value === null) expect(kind).toBe('null');
          else if (typeof value === 'object')
            expect([kind, children.map(({ name }) => name).toSorted()]).toEqual([
              'object',
              Object.keys(value).toSorted(),
            ]);
          else if (typeof value === 'string') expect([kind, shown]).toEqual(['text', value]);
          else expect([kind, parse(shown)]).toEqual([typeof value, value]);
        }
      }),
      { numRuns: 200 },
    );
  });

  test.each(['', '[]', '7', 'null', '"a"', ' '])('is absent for %j', (text) => {
    expect(fieldsInText(text)).toBeUndefined();
  });
});

describe('any text', () => {
  test('changes only the written value, and is restored exactly', () => {
    forEachValue((text, { path }) => {
      const changed = withJsonAt(text, path, '[-1.50]');
      expect([jsonAt(changed, path), valueAt(parse(changed), path)]).toEqual(['[-1.50]', [-1.5]]);
      expect(withJsonAt(changed, path, jsonAt(text, path))).toBe(text);
    });
  });

  test('keeps the place of a renamed field, and is restored', () => {
    forEachValue((text, { path, name }) => {
      const parent = parentOf(path);
      if (typeof name === 'number') return;
      const fresh = 'a name of its own';
      const changed = withName(text, path, fresh);
      const namesIn = (one: string) =>
        nodesOf(one)
          .filter((node) => JSON.stringify(parentOf(node.path)) === JSON.stringify(parent))
          .map((node) => node.name);
      expect(namesIn(changed)).toEqual(namesIn(text).map((one) => (one === name ? fresh : one)));
      expect(parse(withName(changed, [...parent, fresh], name))).toEqual(parse(text));
    });
  });

  test('loses an added field or value by removing it', () => {
    forEachValue((text, { path, kind, children }) => {
      if (kind === 'object') {
        const added = withNewField(text, path, 'a name of its own', [1]);
        expect(valueAt(parse(added), [...path, 'a name of its own'])).toEqual([1]);
        expect(parse(withoutField(added, [...path, 'a name of its own']))).toEqual(parse(text));
      }
      if (kind === 'list') {
        const added = withNewItem(text, path, 'new');
        expect(valueAt(parse(added), [...path, children.length])).toBe('new');
        expect(parse(withoutField(added, [...path, children.length]))).toEqual(parse(text));
      }
    });
  });

  test('keeps all values except the removed one', () => {
    forEachValue((text, { path, name }) => {
      const parent = valueAt(parse(text), parentOf(path)) ?? parse(text);
      const left = valueAt(parse(withoutField(text, path)), parentOf(path));
      if (Array.isArray(parent)) expect(left).toEqual(parent.filter((_, at) => at !== name));
      else
        expect(Object.entries(left as object)).toEqual(
          Object.entries(parent as object).filter(([key]) => key !== name),
        );
    });
  });

  test('is restored exactly when a moved value moves back', () => {
    forEachValue((text, { path, name }) => {
      const moved = withItemMoved(text, path, 1);
      if (typeof name !== 'number') return expect(moved).toBe(text);
      const list = valueAt(parse(text), parentOf(path)) as unknown[];
      if (name === list.length - 1) return expect(moved).toBe(text);
      const [one, next] = [list[name], list[name + 1]];
      expect(valueAt(parse(moved), parentOf(path))).toEqual(list.with(name, next).with(name + 1, one));
      expect(withItemMoved(moved, [...parentOf(path), name + 1], -1)).toBe(text);
    });
  });

  test('gives values of the chosen type, and keeps values that have it', () => {
    forEachValue((text, node) => {
      for (const kind of KINDS) {
        const json = asKind(node, kind, jsonAt(text, node.path));
        const changed = withJsonAt(text, node.path, json);
        const [now] = nodesOf(changed).filter(
          ({ path }) => JSON.stringify(path) === JSON.stringify(node.path),
        );
        expect(now?.kind).toBe(kind);
        if (kind === node.kind) expect(changed).toBe(text);
      }
    });
  });
});

describe('an edit of a value that isn’t there', () => {
  const TEXT = '{"a": {"b": 1}, "l": ["x", "y"]}';
  test.each<[string, (text: string) => string]>([
    ['writes nothing', (text) => withJsonAt(text, ['a', 'toString'], '1')],
    ['writes no value behind a list', (text) => withJsonAt(text, ['l', 2], '1')],
    ['renames nothing', (text) => withName(text, ['a', 'constructor'], 'c')],
    ['renames no value of a list', (text) => withName(text, ['l', 1], 'c')],
    ['removes nothing', (text) => withoutField(text, ['a', '__proto__'])],
    ['moves nothing', (text) => withItemMoved(text, ['l', 7], -1)],
    ['moves no field', (text) => withItemMoved(text, ['a', 'b'], 1)],
  ])('%s', (_name, edit) => expect(edit(TEXT)).toBe(TEXT));

  test('reads null', () => {
    expect([jsonAt(TEXT, ['a', 'valueOf']), jsonAt('{', ['a'])]).toEqual(['null', 'null']);
  });
});

test('writes each day back as it was, and takes no other text for a day', () => {
  const days = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
  fc.assert(
    fc.property(
      days,
      fc.constantFrom('', ':07', ':07.5', ':07.250'),
      fc.constantFrom('', 'Z'),
      (day, seconds, zone) => {
        const iso = day.toISOString();
        const text = iso.slice(0, 16) + seconds + zone;
        expect(dateIn(text)?.textOf(dateIn(text)?.value ?? '')).toBe(text);
        expect(dateIn(iso.slice(0, 10))).toMatchObject({ type: 'date', value: iso.slice(0, 10) });
        expect([dateIn(`${text} `), dateIn(` ${text}`), dateIn(`${text}\n`)]).toEqual([
          undefined,
          undefined,
          undefined,
        ]);
      },
    ),
    { numRuns: 300 },
  );
});
