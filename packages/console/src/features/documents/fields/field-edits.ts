import { createContext, useContext, useMemo } from 'react';
import { fieldLabel } from '../../../values/field-label.ts';
import type { FieldPath } from '../../../values/field-parameter.ts';
import type { FieldAuthors } from '../../history/versions/field-authors.ts';
import type { Choice } from '../choices/merge-choices.ts';
import type { Difference } from '../choices/merge-fields.ts';
import { withText } from '../document/draft.ts';
import type { LiveDraft } from '../document/live-draft.ts';
import {
  asKind,
  type FieldKind,
  type FieldNode,
  jsonAt,
  withItemMoved,
  withJsonAt,
  withName,
  withNewField,
  withNewItem,
  withoutField,
  withoutRepeats,
} from './json-tree.ts';

/** Changes fields of a draft. All views of a document edit the same draft. */
export interface FieldEdits {
  /** Replaces a value by JSON text. */
  setJson(path: FieldPath, json: string): void;
  setText(path: FieldPath, text: string): void;
  setKind(node: FieldNode, kind: FieldKind): void;
  rename(path: FieldPath, name: string): void;
  remove(path: FieldPath): void;
  /** Adds an empty text to an object. */
  add(parent: FieldPath, name: string): void;
  /** Adds a value like the last one to a list. */
  addItem(list: FieldNode): void;
  move(path: FieldPath, step: -1 | 1): void;
  /** Removes values that aren't saved, because their object has the same field again. */
  removeRepeats(): void;
  /** Returns the JSON text of a value. */
  jsonAt(path: FieldPath): string;
}

export function useFieldEdits(live: LiveDraft): FieldEdits {
  return useMemo(() => {
    const change = (how: (text: string) => string) =>
      live.change((now) => {
        const next = withText(now, how(now.text));
        // The editor loads the text when it is shown again.
        return next === now ? now : { ...next, revision: now.revision + 1 };
      });
    const textNow = () => live.settled()?.text ?? '';
    return {
      setJson: (path, json) => change((text) => withJsonAt(text, path, json)),
      setText: (path, value) => change((text) => withJsonAt(text, path, JSON.stringify(value))),
      setKind: (node, kind) =>
        change((text) => withJsonAt(text, node.path, asKind(node, kind, jsonAt(text, node.path)))),
      rename: (path, name) => change((text) => withName(text, path, name)),
      remove: (path) => change((text) => withoutField(text, path)),
      add: (parent, name) => change((text) => withNewField(text, parent, name, '')),
      addItem: ({ path, children }) =>
        change((text) => withNewItem(text, path, EMPTY[children.at(-1)?.kind ?? 'text'])),
      move: (path, step) => change((text) => withItemMoved(text, path, step)),
      removeRepeats: () => change(withoutRepeats),
      jsonAt: (path) => jsonAt(textNow(), path),
    };
  }, [live]);
}

const EMPTY: Readonly<Record<FieldKind, unknown>> = {
  text: '',
  number: 0,
  boolean: false,
  null: null,
  list: [],
  object: {},
};

/** The data that all parts of a view share. */
export interface FieldsContext {
  readonly edits: FieldEdits;
  readonly canWrite: boolean;
  /** The ids among the values for which a document exists. */
  readonly linked: ReadonlySet<string>;
  /** The authors of the top-level fields, if they are shown. */
  readonly authors?: FieldAuthors | undefined;
  readonly basePath: string;
  /** The history of the document; undefined for a new one. */
  readonly historyPath?: string | undefined;
  /** The fields that somebody else changed too, by their keys. */
  readonly clashes?: Clashes | undefined;
}

export interface Clashes {
  /** Such as "Grace"; undefined if nobody knows. */
  readonly person: string | undefined;
  readonly byKey: ReadonlyMap<string, Difference>;
  readonly decide: (difference: Difference, choice: Choice) => void;
}

export const Fields = createContext<FieldsContext | undefined>(undefined);

export function useFields(): FieldsContext {
  const context = useContext(Fields);
  if (context === undefined) throw new Error('fields without their context');
  return context;
}

/** Identifies a field in the page and in addresses. */
export const keyOfPath = (path: FieldPath): string => JSON.stringify(path);

/** Finds the row of a field in a tree, or its input in a form. */
export const fieldElement = (within: HTMLElement, key: string): HTMLElement | undefined =>
  [...within.querySelectorAll<HTMLElement>('[data-field], [data-node]')].find(
    ({ dataset }) => dataset['field'] === key || dataset['node'] === key,
  );

/** Describes a field in a sentence: `centre › lat`. */
export const pathLabel = (path: FieldPath): string =>
  path.map((name) => (typeof name === 'string' ? fieldLabel(name) : name)).join(' › ');
