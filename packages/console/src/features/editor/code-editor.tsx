/**
 * Hosts CodeMirror in a shadow root. There CodeMirror adopts its style sheets, which a strict
 * content security policy allows.
 */
import { autocompletion, closeBrackets, completionKeymap } from '@codemirror/autocomplete';
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { bracketMatching, foldGutter, foldKeymap, indentOnInput, indentUnit } from '@codemirror/language';
import { lintKeymap } from '@codemirror/lint';
import { highlightSelectionMatches, searchKeymap } from '@codemirror/search';
import { Compartment, EditorState, type Extension, Transaction } from '@codemirror/state';
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from '@codemirror/view';
import { findNodeAtLocation, parseTree } from 'jsonc-parser';
import { useEffect, useLayoutEffect, useRef } from 'react';
import { EDITOR_SHORTCUTS } from '../../ui/shortcut-groups.ts';
import { pathInParameter } from '../../values/field-parameter.ts';
import { look } from './editor-look.ts';
import { type FieldNotes, fieldNotes, type ShowNote, setFieldNotes, showNoteAtCaret } from './field-notes.ts';
import { jsonEditing, layOut } from './json-editing.ts';
import { type KnownField, mapCompletion } from './map-completion.ts';
import type { EditorText } from './read-json.ts';
import { smallestChange } from './smallest-change.ts';

export interface CodeEditorProps {
  /** Accessible name of the editor. */
  readonly label: string;
  readonly language: 'json' | 'javascript';
  /** The initial text; loaded again whenever `revision` changes. */
  readonly text: string;
  /** Changes when the page sets another text, but not when the user types. */
  readonly revision?: number;
  /**
   * Called after each change by the user. Call `toString` of a long text only when necessary,
   * because this takes longer than rendering a key press.
   */
  readonly onText: (text: EditorText) => void;
  /** Document fields that are offered for completion in a map function. */
  readonly known?: readonly KnownField[];
  /** Called when the user completes a name. */
  readonly onKnownWanted?: () => void;
  /** Ctrl+Enter, or Cmd+Enter on a Mac. */
  readonly onRun?: (() => void) | undefined;
  /** Ctrl+S, or Cmd+S on a Mac. */
  readonly onSave?: (() => void) | undefined;
  readonly readOnly?: boolean;
  /**
   * Whether the editor gets the focus when it opens. The caret is then after the first character,
   * which is between the braces of a new document.
   */
  readonly hasFocus?: boolean;
  /** The field of a JSON text where the editor gets the focus when it opens, as in an address. */
  readonly focusedField?: string | undefined;
  /** Notes beside the top-level fields of a JSON text. */
  readonly notes?: FieldNotes | undefined;
  /** Called when the user presses a note, or Alt+B in its field. */
  readonly onNote?: ShowNote | undefined;
  /** Carried out whenever it is another object. */
  readonly request?: EditorRequest | undefined;
}

/** Asks the editor to show a place of its text, or to change the text there. */
export interface EditorRequest {
  readonly at: number;
  readonly change?: { readonly from: number; readonly to: number; readonly insert: string };
  /** The text that this is about. With another text, nothing happens. */
  readonly of: string;
}

/**
 * CodeMirror trims its undo history when it exceeds `minDepth` by 20 entries. So the editor keeps
 * 100 entries at most (spec §9).
 */
const HISTORY = { minDepth: 80, newGroupDelay: 3000 };
const TAB_SIZE = 2;
const HEIGHTS = {
  json: '[--editor-height:16rem] [--editor-line:1.5rem]',
  javascript: '[--editor-height:9rem]',
};

const readOnlyPart = new Compartment();
const readOnlyOf = (on: boolean) =>
  readOnlyPart.of([EditorState.readOnly.of(on), EditorView.editable.of(!on)]);

export function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  useEffect(() => {
    latest.current = props;
  });

  // Runs before the first paint, because a paint without the text would delay the text.
  useLayoutEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open', delegatesFocus: true });
    const { text, readOnly = false } = latest.current;
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({ doc: text, extensions: [readOnlyOf(readOnly), extensionsFor(latest)] }),
    });
    view.current = editor;
    if (latest.current.hasFocus) {
      editor.dispatch({ selection: { anchor: Math.min(1, editor.state.doc.length) } });
      editor.focus();
    }
    focusField(editor, latest.current.focusedField);
    return () => {
      editor.destroy();
      view.current = null;
    };
  }, []);

  const { revision = 0, readOnly = false, language, notes, request } = props;
  useEffect(() => {
    if (view.current !== null && request !== undefined) carryOut(view.current, request);
  }, [request]);
  useEffect(() => {
    if (view.current !== null) setFieldNotes(view.current, notes, noteOf(latest));
  }, [notes]);
  const shownRevision = useRef(revision);
  useEffect(() => {
    if (view.current === null || shownRevision.current === revision) return;
    shownRevision.current = revision;
    takeOver(view.current, latest.current.text);
  }, [revision]);
  useEffect(() => {
    const editor = view.current;
    editor?.dispatch({
      effects: readOnlyPart.reconfigure([
        EditorState.readOnly.of(readOnly),
        EditorView.editable.of(!readOnly),
      ]),
    });
  }, [readOnly]);

  return (
    <div
      ref={host}
      data-editor={language}
      className={`overflow-hidden rounded-md border border-line bg-surface -outline-offset-1 outline-accent focus-within:outline-2 ${HEIGHTS[language]}`}
    />
  );
}

function extensionsFor(latest: { readonly current: CodeEditorProps }): Extension {
  const { label, language, text } = latest.current;
  return [
    fieldNotes(latest.current.notes, noteOf(latest)),
    lineNumbers(),
    ...(language === 'json' ? [foldGutter({ openText: '⌄', closedText: '›' })] : []),
    highlightActiveLine(),
    history(HISTORY),
    drawSelection(),
    bracketMatching(),
    indentOnInput(),
    highlightSelectionMatches(),
    indentUnit.of(' '.repeat(TAB_SIZE)),
    EditorState.tabSize.of(TAB_SIZE),
    EditorView.lineWrapping,
    EditorView.contentAttributes.of({
      tabindex: '0',
      'aria-label': label,
      'aria-description': 'To leave the editor, press Escape, then Tab.',
      spellcheck: 'false',
      autocapitalize: 'off',
    }),
    language === 'json' ? jsonEditing(text.length) : [javascript(), closeBrackets(), completionOf(latest)],
    keymap.of([
      { key: EDITOR_SHORTCUTS.run.keys[0], run: () => called(latest.current.onRun), preventDefault: true },
      {
        key: EDITOR_SHORTCUTS.save.keys[0],
        run: (view) => saved(view, latest.current),
        preventDefault: true,
      },
      {
        key: EDITOR_SHORTCUTS.author.keys[0],
        run: (view) => showNoteAtCaret(view, noteOf(latest)),
      },
      ...completionKeymap,
      ...defaultKeymap,
      ...historyKeymap,
      ...searchKeymap,
      ...foldKeymap,
      ...lintKeymap,
      indentWithTab,
    ]),
    EditorView.updateListener.of(({ docChanged, state, transactions }) => {
      const own = transactions.some((one) => one.docChanged && one.annotation(Transaction.remote) !== true);
      if (docChanged && own) latest.current.onText(state.doc);
    }),
    look,
  ];
}

const noteOf =
  (latest: { readonly current: CodeEditorProps }): ShowNote =>
  (field, anchor) =>
    latest.current.onNote?.(field, anchor);

const completionOf = (latest: { readonly current: CodeEditorProps }): Extension =>
  autocompletion({
    override: [
      mapCompletion(() => {
        latest.current.onKnownWanted?.();
        return latest.current.known ?? [];
      }),
    ],
    icons: false,
  });

/** The user can undo the change. */
function carryOut(editor: EditorView, { at, change, of }: EditorRequest): void {
  if (editor.state.doc.toString() !== of) return;
  const anchor = change === undefined ? at : change.from + change.insert.length;
  editor.dispatch({
    ...(change && { changes: change, userEvent: 'input.fix' }),
    selection: { anchor },
    scrollIntoView: true,
  });
  editor.focus();
}

/** Puts the caret at the value of a field, and the focus into the editor. */
function focusField(editor: EditorView, field: string | undefined): void {
  const anchor = field === undefined ? undefined : fieldOffset(editor.state.doc.toString(), field);
  if (anchor === undefined) return;
  editor.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: 'center' }) });
  editor.focus();
}

/**
 * Returns where the value of a field begins; undefined if the text has no such field.
 * @param field as in an address
 */
function fieldOffset(text: string, field: string): number | undefined {
  const root = parseTree(text);
  return root && findNodeAtLocation(root, [...pathInParameter(field)])?.offset;
}

/**
 * Replaces the editor's text by the smallest change, so that caret and scroll position stay. The
 * user can't undo this change.
 */
function takeOver(editor: EditorView, text: string): void {
  const change = smallestChange(editor.state.doc.toString(), text);
  if (change === undefined) return;
  editor.dispatch({
    changes: change,
    annotations: [Transaction.remote.of(true), Transaction.addToHistory.of(false)],
  });
}

function called(run: (() => void) | undefined): boolean {
  run?.();
  return run !== undefined;
}

function saved(view: EditorView, { language, onSave }: CodeEditorProps): boolean {
  if (language === 'json') layOut(view);
  return called(onSave);
}
