/** What the editor does for JSON: colours, a check while typing, and the usual layout as soon as the text is valid. */
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { type Diagnostic, linter } from '@codemirror/lint';
import { type Extension, Transaction } from '@codemirror/state';
import { EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import { awayFrom, LAYOUT_CHARS_MAX, layoutEdits } from './json-layout.ts';
import { jsonWarnings } from './json-warnings.ts';

/** So long nothing may be typed before the text is laid out. */
const PAUSE_MS = 400;
const LINT_MS = 300;

/** Lays out valid JSON in one step that can be undone; the caret stays in its place. `around` says where no edit may be made. */
export function layOut(view: EditorView, around?: number): void {
  if (view.state.readOnly || view.state.doc.length > LAYOUT_CHARS_MAX) return;
  const text = view.state.doc.toString();
  if (!isJson(text)) return;
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
  return {
    update: ({ docChanged, transactions }: ViewUpdate) => {
      if (!docChanged || transactions.some((one) => !isTyped(one))) return;
      const pasted = transactions.some(
        (one) => one.isUserEvent('input.paste') || one.isUserEvent('input.drop'),
      );
      if (pasted) later(() => layOut(view), 0);
      else later(() => layOut(view, view.state.selection.main.head), PAUSE_MS);
    },
    destroy: () => clearTimeout(timer),
  };
});

/** Not what is undone, laid out or comes from outside. */
const isTyped = (transaction: Transaction): boolean =>
  transaction.isUserEvent('input') || transaction.isUserEvent('delete') || transaction.isUserEvent('move');

export const jsonEditing: Extension = [
  json(),
  linter((view) => diagnosticsOf(view), { delay: LINT_MS }),
  layoutPlugin,
  EditorView.domEventHandlers({
    blur: (_event, view) => {
      layOut(view);
      return false;
    },
  }),
];

const parseLinter = jsonParseLinter();

function diagnosticsOf(view: EditorView): readonly Diagnostic[] {
  if (view.state.doc.length === 0) return [];
  const errors = parseLinter(view);
  if (errors.length > 0 || view.state.doc.length > LAYOUT_CHARS_MAX) return errors;
  return jsonWarnings(view.state.doc.toString()).map((warning) => ({ ...warning, severity: 'warning' }));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
