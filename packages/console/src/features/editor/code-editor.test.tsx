import { act, cleanup, fireEvent, render } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CodeEditor, type CodeEditorProps } from './code-editor.tsx';
import { editorCalled } from './drawn-editor.fixture.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  cleanup();
  vi.useRealTimers();
});

const LABEL = 'Document as JSON';

/** Renders a JSON editor, and collects the texts that it reports. */
function editor(given: Partial<CodeEditorProps> = {}) {
  const typed: string[] = [];
  const page = (more: Partial<CodeEditorProps>) => (
    <CodeEditor
      label={LABEL}
      language="json"
      text="{}"
      onText={(text) => typed.push(text.toString())}
      {...given}
      {...more}
    />
  );
  const { rerender, unmount } = render(page({}));
  return {
    ...editorCalled(given.label ?? LABEL),
    typed,
    unmount,
    become: (more: Partial<CodeEditorProps>) => rerender(page(more)),
    wait: (ms: number) => act(async () => void vi.advanceTimersByTime(ms)),
  };
}

describe('the text of the editor', () => {
  test('shows the given text, has an accessible name, and says how to leave the editor', () => {
    const { text, content } = editor({ text: '{"a": 1}' });
    expect(text()).toBe('{"a": 1}');
    expect([content.getAttribute('aria-label'), content.getAttribute('aria-description')]).toEqual([
      LABEL,
      'To leave the editor, press Escape, then Tab.',
    ]);
  });

  test('reports what a user types', async () => {
    const { type, typed } = editor({ text: '{}' });
    await type('"a": 1', 1);
    expect(typed).toEqual(['{"a": 1}']);
  });

  test('keeps typed text when the page renders an older text', async () => {
    const { type, text, become } = editor({ text: '{}' });
    await type('"a": 1', 1);
    become({ text: '{}' });
    expect(text()).toBe('{"a": 1}');
  });

  test('loads a text with a new revision, and keeps the caret after the same character', async () => {
    const { type, text, become, typed, caret } = editor({ text: '{"a": 1}' });
    await type(' ', 7);
    become({ text: '{"a": 1, "b": 2 }', revision: 1 });
    expect([text(), caret(), typed.length]).toEqual(['{"a": 1, "b": 2 }', 16, 1]);
  });

  test('undoes typed text, but not a change that came from elsewhere', async () => {
    const { type, text, become, undo } = editor({ text: '{}' });
    await type('"a": 1', 1);
    become({ text: '{"a": 1, "b": 2}', revision: 1 });
    await undo();
    expect(text()).toBe('{, "b": 2}');
  });

  test('accepts typing only while it isn’t read-only', () => {
    const { content, become } = editor({ readOnly: true });
    expect(content.getAttribute('contenteditable')).toBe('false');
    become({ readOnly: false });
    expect(content.getAttribute('contenteditable')).toBe('true');
  });

  test('puts the caret between the braces of a new document', () => {
    const { caret } = editor({ hasFocus: true, text: '{}' });
    expect(caret()).toBe(1);
  });
});

describe('a request of the page', () => {
  const TEXT = '{"a": M}';
  const change = { from: 6, to: 7, insert: '"M"' };

  test('puts the caret at a place, without a change', () => {
    const { become, caret, typed } = editor({ text: TEXT });
    become({ request: { at: 6, of: TEXT } });
    expect([caret(), typed]).toEqual([6, []]);
  });

  test('changes the text as the user would, with the caret after it', () => {
    const { become, caret, text, typed } = editor({ text: TEXT });
    become({ request: { at: 6, change, of: TEXT } });
    expect([text(), caret(), typed]).toEqual(['{"a": "M"}', 9, ['{"a": "M"}']]);
  });

  test('can be undone', async () => {
    const { become, text, undo, view } = editor({ text: TEXT });
    become({ request: { at: 6, change, of: TEXT } });
    view.contentDOM.blur();
    await undo();
    expect(text()).toBe(TEXT);
  });

  test('does nothing if the text is another one by now', async () => {
    const { become, text, type } = editor({ text: TEXT });
    await type(' ', 0);
    become({ request: { at: 6, change, of: TEXT } });
    expect(text()).toBe(` ${TEXT}`);
  });

  test('is carried out once, and again only for another request', () => {
    const { become, text, view } = editor({ text: TEXT });
    const request = { at: 6, change, of: TEXT };
    become({ request });
    become({ request, label: LABEL });
    expect(text()).toBe('{"a": "M"}');
    // With the focus, the tests' document would report the caret during the next update.
    view.contentDOM.blur();
    become({ request: { at: 1, change: { from: 1, to: 1, insert: ' ' }, of: '{"a": "M"}' } });
    expect(text()).toBe('{ "a": "M"}');
  });
});

describe('folding', () => {
  const folds = (view: ReturnType<typeof editor>['view']) =>
    [...view.dom.querySelectorAll('.cm-foldGutter .cm-gutterElement')].filter(
      ({ textContent }) => textContent === '⌄',
    ).length;

  test('is offered for objects and lists of JSON', () => {
    const { view } = editor({ text: '{\n  "a": [\n    1\n  ],\n  "b": 1\n}' });
    // The gutter also measures a hidden marker.
    expect(folds(view)).toBeGreaterThanOrEqual(2);
  });

  test('hides its gutter for functions', () => {
    const { view } = editor({ language: 'javascript', label: 'Map function', text: '(doc) => {\n}' });
    expect(view.dom.querySelector('.cm-foldGutter')).toBe(null);
  });
});

describe('the keys of the editor', () => {
  test('runs on Ctrl+Enter, and saves on Ctrl+S', async () => {
    const ran: string[] = [];
    const { press } = editor({ onRun: () => ran.push('run'), onSave: () => ran.push('save') });
    await press('Enter', { ctrlKey: true });
    await press('s', { ctrlKey: true, keyCode: 83 });
    expect(ran).toEqual(['run', 'save']);
  });

  test('calls the functions of the latest render', async () => {
    const ran: string[] = [];
    const { press, become } = editor({ onRun: () => ran.push('first') });
    become({ onRun: () => ran.push('second') });
    await press('Enter', { ctrlKey: true });
    expect(ran).toEqual(['second']);
  });

  test('formats the text before it is saved', async () => {
    const saved: string[] = [];
    const { press, text, retype, typed } = editor({ onSave: () => saved.push(typed.at(-1) ?? '') });
    await retype('{"a":1}');
    await press('s', { ctrlKey: true, keyCode: 83 });
    expect([text(), saved]).toEqual(['{\n  "a": 1\n}', ['{\n  "a": 1\n}']]);
  });
});

describe('the format of JSON', () => {
  const FORMATTED = '{\n  "a": 1\n}';

  test('formats valid text when the user pauses', async () => {
    const { retype, text, wait } = editor();
    await retype('{"a":1}');
    await wait(399);
    expect(text()).toBe('{"a":1}');
    await wait(1);
    expect(text().replace(/\s/g, '')).toBe('{"a":1}');
    expect(text()).not.toBe('{"a":1}');
  });

  test('doesn’t format text that isn’t valid yet', async () => {
    const { retype, text, wait } = editor();
    await retype('{"a":');
    await wait(5000);
    expect(text()).toBe('{"a":');
  });

  test('formats pasted text before the next key', async () => {
    const { paste, text } = editor();
    await paste('{"a":1}');
    expect(text()).toBe(FORMATTED);
  });

  test('undoes only the format, and keeps the pasted text', async () => {
    const { paste, text, undo } = editor();
    await paste('{"a":1}');
    await undo();
    expect(text()).toBe('{"a":1}');
  });

  test('doesn’t format the text again after an undo', async () => {
    const { paste, text, undo, wait } = editor();
    await paste('{"a":1}');
    await undo();
    await wait(5000);
    expect(text()).toBe('{"a":1}');
  });

  test('formats when the user leaves the editor', async () => {
    const { text, blur, wait } = editor({ text: '{"a":1}' });
    await blur();
    await wait(0);
    expect(text()).toBe(FORMATTED);
  });

  test('formats only after a pressed pointer is released, so that nothing moves below it', async () => {
    const { text, blur, wait } = editor({ text: '{"a":1}' });
    fireEvent.pointerDown(document.body);
    await blur();
    await wait(1000);
    expect(text()).toBe('{"a":1}');
    fireEvent.pointerUp(document.body);
    await wait(0);
    expect(text()).toBe(FORMATTED);
  });

  test('never formats a read-only text', async () => {
    const { text, blur, wait } = editor({ text: '{"a":1}', readOnly: true });
    await blur();
    await wait(1000);
    expect(text()).toBe('{"a":1}');
  });

  test('formats nothing after the user left the page', async () => {
    const { retype, typed, unmount, wait } = editor();
    await retype('{"a":1}');
    unmount();
    await wait(5000);
    expect(typed).toEqual(['{"a":1}']);
  });
});

describe('the editor of a map function', () => {
  const map = { language: 'javascript', label: 'Map function', text: 'emit(doc.' } as const;

  test('doesn’t format the text', async () => {
    const { retype, text, wait, blur } = editor(map);
    await retype('[1,2]');
    await blur();
    await wait(5000);
    expect(text()).toBe('[1,2]');
  });

  test('asks for the known fields only when the user completes a name', async () => {
    const onKnownWanted = vi.fn();
    const { view, press, content } = editor({
      ...map,
      known: [{ name: 'litres', detail: 'number' }],
      onKnownWanted,
    });
    expect(onKnownWanted).not.toHaveBeenCalled();
    await act(async () => view.dispatch({ selection: { anchor: view.state.doc.length } }));
    await press(' ', { ctrlKey: true, keyCode: 32 });
    await act(async () => void (await vi.advanceTimersByTimeAsync(500)));
    expect(onKnownWanted).toHaveBeenCalled();
    expect((content.getRootNode() as ShadowRoot).textContent).toContain('litres');
  });
});
