/**
 * Defines the editor's colours. The styles apply in a shadow root, which inherits the CSS variables
 * of the page.
 */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const both = (light: string, dark: string) => `light-dark(${light}, ${dark})`;

const frame = EditorView.theme({
  '&': { backgroundColor: 'var(--surface)', color: 'var(--text)', fontSize: '0.8125rem', maxHeight: '65vh' },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'ui-monospace, SFMono-Regular, Menlo, Consolas, monospace',
    lineHeight: '1.55',
    minHeight: 'var(--editor-height, 16rem)',
  },
  '.cm-content': { caretColor: 'var(--text)', padding: '10px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--text)' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--muted)',
    border: 'none',
    paddingLeft: '4px',
  },
  '.cm-activeLine': { backgroundColor: both('#0f766e0d', '#2dd4bf12') },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--text)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: both('#0f766e33', '#2dd4bf40'),
  },
  '&.cm-focused .cm-matchingBracket': { backgroundColor: both('#0f766e22', '#2dd4bf33') },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', border: '1px solid var(--line)', color: 'var(--text)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.75', marginLeft: '1em' },
  '.cm-diagnostic': { fontFamily: 'system-ui, sans-serif' },
  '.cm-panels': { backgroundColor: 'var(--raised)', color: 'var(--text)', borderColor: 'var(--line)' },
  '.cm-searchMatch': { backgroundColor: both('#fde68a', '#854d0e') },
  '.cm-textfield': {
    backgroundColor: 'var(--surface)',
    color: 'var(--text)',
    border: '1px solid var(--line)',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line)',
  },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: both('#0b5d57', '#5eead4') },
  { tag: tags.string, color: both('#9a3412', '#fdba74') },
  { tag: [tags.number, tags.bool, tags.null], color: both('#1d4ed8', '#93c5fd') },
  { tag: [tags.keyword, tags.operatorKeyword], color: both('#7e22ce', '#d8b4fe') },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName)],
    color: both('#0b5d57', '#5eead4'),
  },
  { tag: tags.comment, color: 'var(--muted)', fontStyle: 'italic' },
  { tag: tags.regexp, color: both('#be185d', '#f9a8d4') },
  { tag: tags.invalid, color: 'var(--danger)' },
]);

export const look: Extension = [frame, syntaxHighlighting(colours)];
