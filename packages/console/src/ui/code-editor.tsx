/** CodeMirror in a shadow root: there its styles are adopted sheets, which a strict content policy lets through. */
import { defaultKeymap, history, historyKeymap, indentWithTab } from '@codemirror/commands';
import { javascript } from '@codemirror/lang-javascript';
import { json, jsonParseLinter } from '@codemirror/lang-json';
import { bracketMatching, defaultHighlightStyle, indentUnit, syntaxHighlighting } from '@codemirror/language';
import { linter } from '@codemirror/lint';
import { EditorState } from '@codemirror/state';
import { drawSelection, EditorView, keymap, lineNumbers } from '@codemirror/view';
import { useEffect, useRef } from 'react';

export interface CodeEditorProps {
  readonly label: string;
  readonly language: 'json' | 'javascript';
  readonly value: string;
  readonly onChange: (text: string) => void;
  readonly onRun?: () => void;
}

/** The library trims its history 20 entries above the minimum: 80 keeps at most 100 (spec §9). */
const HISTORY = { minDepth: 80, newGroupDelay: 3000 };

const look = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '13px', minHeight: '16rem' },
  '.cm-content': { fontFamily: 'ui-monospace, SFMono-Regular, Menlo, monospace', caretColor: 'var(--text)' },
  '.cm-gutters': { backgroundColor: 'var(--raised)', color: 'var(--muted)', border: 'none' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '&.cm-focused': { outline: 'none' },
});

export function CodeEditor(props: CodeEditorProps) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView | null>(null);
  const latest = useRef(props);
  latest.current = props;

  useEffect(() => {
    if (host.current === null) return undefined;
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' });
    const { label, language, value } = latest.current;
    const editor = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        doc: value,
        extensions: [
          lineNumbers(),
          history(HISTORY),
          drawSelection(),
          bracketMatching(),
          indentUnit.of('  '),
          EditorState.tabSize.of(2),
          syntaxHighlighting(defaultHighlightStyle),
          language === 'json' ? [json(), linter(jsonParseLinter())] : javascript(),
          keymap.of([
            { key: 'Mod-Enter', run: () => runNow(latest.current.onRun) },
            ...defaultKeymap,
            ...historyKeymap,
            indentWithTab,
          ]),
          EditorView.lineWrapping,
          EditorView.contentAttributes.of({ 'aria-label': label }),
          EditorView.updateListener.of((update) => {
            if (update.docChanged) latest.current.onChange(update.state.doc.toString());
          }),
          look,
        ],
      }),
    });
    view.current = editor;
    return () => editor.destroy();
  }, []);

  useEffect(() => {
    const editor = view.current;
    if (editor === null || editor.state.doc.toString() === props.value) return;
    const caret = Math.min(editor.state.selection.main.head, props.value.length);
    editor.dispatch({
      changes: { from: 0, to: editor.state.doc.length, insert: props.value },
      selection: { anchor: caret },
    });
  }, [props.value]);

  return (
    <div ref={host} className="overflow-hidden rounded-md border border-line focus-within:border-accent" />
  );
}

function runNow(run: (() => void) | undefined): boolean {
  run?.();
  return run !== undefined;
}
