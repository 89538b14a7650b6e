/**
 * Configures the editor for JSON: colours, a check while typing, and formatting once the text is
 * valid.
 */
import { json } from '@codemirror/lang-json';
import { type Diagnostic, linter } from '@codemirror/lint';
import { Compartment, EditorState, type Extension, StateField, Transaction } from '@codemirror/state';
import { type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { awayFrom, LAYOUT_CHARS_MAX, layoutEdits } from './json-layout.ts';
import { jsonLineColours } from './json-line-colours.ts';
import { jsonProblem } from './json-problem.ts';
import { jsonWarnings } from './json-warnings.ts';
import { readJson } from './read-json.ts';

/** Idle time in ms before the text is formatted. */
export const PAUSE_MS = 400;
const LINT_MS = 300;
/** Maximum number of characters to mark at an error. */
const WORD_CHARS_MAX = 100;
const PRESSES = ['pointerdown', 'pointerup', 'pointercancel'] as const;

const colours = new Compartment();
const isLong = (chars: number): boolean => chars > LAYOUT_CHARS_MAX;
const coloursFor = (chars: number): Extension => (isLong(chars) ? jsonLineColours : json());

/**
 * Formats valid JSON in one step that the user can undo. The caret keeps its place. Makes no edit
 * at the position `around`.
 */
export function layOut(view: EditorView, around?: number): void {
  if (view.state.readOnly || isLong(view.state.doc.length)) return;
  const { text, error } = readJson(view.state.doc);
  if (error !== undefined) return;
  const edits = layoutEdits(text);
  const changes = around === undefined ? edits : awayFrom(edits, around);
  if (changes.length > 0)
    view.dispatch({ changes, annotations: Transaction.userEvent.of('format'), scrollIntoView: false });
}

const layoutPlugin = ViewPlugin.define((view) => {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const later = (run: () => void, ms: number) => {
    clearTimeout(timer);
    timer = setTimeout(run, ms);
  };
  let isDue = false;
  let isOver = false;
  // Formats pasted text before the next key press, so that the key applies to the formatted text.
  const soon = () => {
    if (isDue) return;
    isDue = true;
    queueMicrotask(() => {
      isDue = false;
      if (!isOver) layOut(view);
    });
  };
  let isPressed = false;
  let isLeft = false;
  const { contentDOM } = view;
  const { defaultView: page } = contentDOM.ownerDocument;
  const press = ({ type }: Event) => {
    isPressed = type === 'pointerdown';
    if (!isPressed && isLeft) left();
  };
  // Formats on blur, but not while the pointer is pressed: a button below the pointer would move.
  const left = () => {
    isLeft = isPressed;
    if (!isPressed) later(() => layOut(view), 0);
  };
  contentDOM.addEventListener('blur', left);
  for (const type of PRESSES) page?.addEventListener(type, press, true);
  return {
    update: ({ docChanged, transactions }: ViewUpdate) => {
      if (!docChanged || transactions.some((one) => !isTyped(one))) return;
      const pasted = transactions.some(
        (one) => one.isUserEvent('input.paste') || one.isUserEvent('input.drop'),
      );
      if (pasted) soon();
      else later(() => layOut(view, view.state.selection.main.head), PAUSE_MS);
    },
    destroy: () => {
      isOver = true;
      clearTimeout(timer);
      contentDOM.removeEventListener('blur', left);
      for (const type of PRESSES) page?.removeEventListener(type, press, true);
    },
  };
});

/** Returns whether the user typed the change; excludes undo, formatting and other changes. */
const isTyped = (transaction: Transaction): boolean =>
  transaction.isUserEvent('input') || transaction.isUserEvent('delete') || transaction.isUserEvent('move');

/** Switches colouring when a text becomes long or short. */
const coloursBySize = EditorState.transactionExtender.of(({ docChanged, startState, newDoc }) =>
  docChanged && isLong(newDoc.length) !== isLong(startState.doc.length)
    ? { effects: colours.reconfigure(coloursFor(newDoc.length)) }
    : null,
);

/** @param chars length of the initial text */
export const jsonEditing = (chars: number): Extension => [
  colours.of(coloursFor(chars)),
  coloursBySize,
  isChanged,
  linter(diagnosticsOf, { delay: LINT_MS }),
  layoutPlugin,
];

/**
 * Tracks whether the text has changed. Unchanged text of a stored document is valid JSON, so a long
 * one isn't parsed, which would be slow.
 */
const isChanged = StateField.define<boolean>({
  create: () => false,
  update: (was, { docChanged }) => was || docChanged,
});

function diagnosticsOf({ state }: EditorView): readonly Diagnostic[] {
  const { doc } = state;
  if (doc.length === 0 || (isLong(doc.length) && !state.field(isChanged))) return [];
  const { text, error } = readJson(doc);
  if (error !== undefined) {
    const { at, message } = jsonProblem(text) ?? { at: text.length, message: error.message };
    const word = /^[^\s,:{}[\]]*/.exec(text.slice(at, at + WORD_CHARS_MAX))?.[0].length ?? 0;
    return [{ from: at, to: at + word, message, severity: 'error' }];
  }
  if (isLong(text.length)) return [];
  return jsonWarnings(text).map((warning) => ({ ...warning, severity: 'warning' }));
}
