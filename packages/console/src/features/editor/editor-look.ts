/**
 * Defines the editor's colours. The styles apply in a shadow root, which inherits the CSS variables
 * of the page.
 */
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import type { Extension } from '@codemirror/state';
import { EditorView } from '@codemirror/view';
import { tags } from '@lezer/highlight';

const frame = EditorView.theme({
  '&': {
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    fontSize: '0.8125rem',
    height: 'var(--editor-fill, auto)',
    maxHeight: 'var(--editor-max, 65vh)',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': {
    fontFamily: 'var(--mono)',
    lineHeight: 'var(--editor-line, 1.25rem)',
    minHeight: 'var(--editor-height, 16rem)',
  },
  '.cm-content': { caretColor: 'var(--ink)', padding: '10px 0' },
  '.cm-cursor': { borderLeftColor: 'var(--ink)' },
  '.cm-gutters': {
    backgroundColor: 'var(--surface)',
    color: 'var(--ink-3)',
    border: 'none',
    paddingLeft: '4px',
  },
  '.cm-field-notes': {
    width: '7.75rem',
    marginRight: '4px',
    color: 'var(--ink-3)',
    fontFamily: 'var(--font)',
    fontSize: '0.75rem',
  },
  '.cm-field-notes .cm-gutterElement': { padding: '0' },
  '.cm-author': {
    display: 'flex',
    alignItems: 'center',
    gap: '6px',
    height: 'var(--editor-line, 1.25rem)',
    padding: '0 6px 0 8px',
    borderLeft: '3px solid var(--history-line)',
    overflow: 'hidden',
    whiteSpace: 'nowrap',
    fontVariantNumeric: 'tabular-nums',
    cursor: 'pointer',
  },
  '.cm-author:hover': { color: 'var(--history)', backgroundColor: 'var(--history-soft)' },
  '.cm-author-rest': {
    display: 'block',
    height: '100%',
    minHeight: 'var(--editor-line, 1.25rem)',
    borderLeft: '3px solid var(--history-line)',
  },
  '.cm-author-rest.cm-unsaved': { borderLeftColor: 'var(--accent)' },
  '.cm-author.cm-unsaved': {
    color: 'var(--accent-ink)',
    borderLeftColor: 'var(--accent)',
    fontWeight: '500',
  },
  '.cm-author > :last-child': { overflow: 'hidden', textOverflow: 'ellipsis' },
  '.cm-avatar': {
    display: 'grid',
    placeItems: 'center',
    flex: 'none',
    width: '1rem',
    height: '1rem',
    borderRadius: '50%',
    fontSize: '0.5rem',
    fontWeight: '600',
    lineHeight: '1',
    color: '#fff',
  },
  '.cm-avatar > svg': {
    width: '0.6875rem',
    fill: 'none',
    stroke: 'currentColor',
    strokeWidth: '2',
    strokeLinecap: 'round',
  },
  '.cm-avatar[data-initials]:before': { content: 'attr(data-initials)' },
  ...Object.fromEntries(
    [0, 1, 2, 3, 4].map((at) => [`.cm-avatar-${at}`, { backgroundColor: `var(--avatar-${at})` }]),
  ),
  '.cm-avatar-none': { backgroundColor: 'var(--hover)', color: 'var(--ink-3)' },
  // Phones have room only for the pictures.
  '@media (width < 40rem)': {
    '.cm-field-notes': { width: '2rem', marginRight: '0' },
    '.cm-author': { padding: '0 4px 0 6px' },
    '.cm-author > :last-child': { display: 'none' },
  },
  '.cm-activeLine': { backgroundColor: 'color-mix(in srgb, var(--accent) 6%, transparent)' },
  '.cm-activeLineGutter': { backgroundColor: 'transparent', color: 'var(--ink)' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 24%, transparent)',
  },
  '&.cm-focused .cm-matchingBracket': {
    backgroundColor: 'color-mix(in srgb, var(--accent) 18%, transparent)',
  },
  '.cm-tooltip': { backgroundColor: 'var(--surface)', border: '1px solid var(--line)', color: 'var(--ink)' },
  '.cm-tooltip-autocomplete ul li[aria-selected]': {
    backgroundColor: 'var(--accent)',
    color: 'var(--on-accent)',
  },
  '.cm-completionDetail': { color: 'inherit', opacity: '0.75', marginLeft: '1em' },
  // An error waits for a decision, so it is amber.
  '.cm-lintRange-error, .cm-lintRange-warning': {
    backgroundImage: 'none',
    textDecoration: 'underline wavy var(--conflict)',
    textUnderlineOffset: '4px',
  },
  '.cm-lintPoint-error:after': { borderBottomColor: 'var(--conflict)' },
  '.cm-diagnostic-error, .cm-diagnostic-warning': { borderLeftColor: 'var(--conflict)' },
  '.cm-foldGutter .cm-gutterElement': { padding: '0 3px', cursor: 'pointer' },
  '.cm-foldPlaceholder': {
    backgroundColor: 'var(--hover)',
    border: '1px solid var(--line)',
    color: 'var(--ink-3)',
    margin: '0 2px',
    padding: '0 4px',
  },
  '.cm-diagnostic': { fontFamily: 'var(--font)' },
  '.cm-panels': { backgroundColor: 'var(--sunken)', color: 'var(--ink)', borderColor: 'var(--line)' },
  '.cm-searchMatch': { backgroundColor: 'var(--conflict-soft)' },
  '.cm-textfield': {
    backgroundColor: 'var(--surface)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
  },
  '.cm-button': {
    backgroundImage: 'none',
    backgroundColor: 'var(--surface)',
    border: '1px solid var(--line)',
  },
});

const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: 'var(--k-key)' },
  { tag: tags.string, color: 'var(--k-str)' },
  { tag: [tags.number, tags.bool, tags.null], color: 'var(--k-num)' },
  { tag: [tags.keyword, tags.operatorKeyword], color: 'var(--k-word)' },
  { tag: [tags.function(tags.variableName), tags.function(tags.propertyName)], color: 'var(--k-key)' },
  { tag: tags.comment, color: 'var(--ink-3)', fontStyle: 'italic' },
  { tag: tags.regexp, color: 'var(--k-str)' },
  { tag: tags.invalid, color: 'var(--danger)' },
]);

export const look: Extension = [frame, syntaxHighlighting(colours)];
