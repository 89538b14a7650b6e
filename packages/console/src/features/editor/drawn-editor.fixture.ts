/** Lets tests read the text of an editor on the page, and type into it. */
import { undo } from '@codemirror/commands';
import { EditorView } from '@codemirror/view';
import { act, fireEvent } from '@testing-library/react';
import { vi } from 'vitest';
import { PAUSE_MS } from './json-editing.ts';

function viewOf(label: string): EditorView {
  for (const host of document.querySelectorAll('[data-editor]')) {
    const content = host.shadowRoot?.querySelector<HTMLElement>('[role=textbox]');
    const view = content && EditorView.findFromDOM(content);
    if (view && content.getAttribute('aria-label') === label) return view;
  }
  throw new Error(`no editor called ${label}`);
}

/** Returns the editor with this accessible name. Throws when the page has none. */
export function editorCalled(label: string) {
  const view = viewOf(label);
  const change = (insert: string, from: number, to: number, userEvent: string) =>
    act(async () => {
      const selection = { anchor: from + insert.length };
      // If the editor had the focus, the tests' document would report the moved caret during
      // CodeMirror's own update.
      if (view.hasFocus) view.contentDOM.blur();
      view.dispatch({ changes: { from, to, insert }, selection, userEvent });
    });
  return {
    view,
    content: view.contentDOM,
    text: () => view.state.doc.toString(),
    caret: () => view.state.selection.main.head,
    /** Replaces the whole text, as if the user typed the new one. */
    retype: (text: string) => change(text, 0, view.state.doc.length, 'input.type'),
    type: (text: string, at: number) => change(text, at, at, 'input.type'),
    paste: (text: string) => change(text, 0, view.state.doc.length, 'input.paste'),
    undo: () => act(async () => void undo(view)),
    press: (key: string, modifiers: Partial<KeyboardEventInit> = {}) =>
      act(async () => void fireEvent.keyDown(view.contentDOM, { key, ...modifiers })),
    blur: () => act(async () => void fireEvent.blur(view.contentDOM)),
  };
}

/**
 * Keeps editors from formatting the text when the user pauses, until the test ends. On a busy
 * machine, a pause passes between two steps of a test.
 */
export function withoutPauses(): void {
  const { setTimeout: later } = globalThis;
  const held = (run: () => void, ms?: number) => (ms === PAUSE_MS ? undefined : later(run, ms));
  vi.stubGlobal('setTimeout', held);
}
