/**
 * Lists the keys that work on every page, used by handlers and by the help sheet, and formats keys.
 * Those of parts of pages are in `shortcut-groups.ts`, which the first screen doesn't load. Keys
 * use CodeMirror's notation; `Mod` is Ctrl, or Cmd on a Mac; keys separated by a space are pressed
 * in sequence.
 */

export interface Shortcut {
  readonly keys: readonly string[];
  readonly text: string;
}

/** Lists the keys that work on every page. Handler: `command-keys.tsx`. */
export const PAGE_SHORTCUTS = {
  palette: { keys: ['Mod-k'], text: 'Search and commands' },
  help: { keys: ['?'], text: 'Keyboard shortcuts' },
  find: { keys: ['/'], text: 'Find in documents' },
  newDocument: { keys: ['n'], text: 'New document' },
  nextDocument: { keys: ['j'], text: 'Next document' },
  previousDocument: { keys: ['k'], text: 'Previous document' },
  authors: { keys: ['b'], text: 'Authors of the fields' },
  save: { keys: ['Mod-s'], text: 'Save the document' },
  undo: { keys: ['Mod-z'], text: 'Undo' },
  redo: { keys: ['Mod-Shift-z'], text: 'Redo' },
  theme: { keys: ['t'], text: 'Switch between light and dark' },
  goDocuments: { keys: ['g d'], text: 'Go to all documents' },
  goHistory: { keys: ['g h'], text: 'Go to the history' },
  goQuery: { keys: ['g q'], text: 'Go to the query' },
  goLocal: { keys: ['g l'], text: 'Go to the local databases' },
  goCloud: { keys: ['g c'], text: 'Go to the cloud' },
} as const satisfies Record<string, Shortcut>;

export type PageShortcut = keyof typeof PAGE_SHORTCUTS;

export const isMac = (): boolean => /Mac OS X|iPhone|iPad/.test(navigator.userAgent);

const NAMES: Readonly<Record<string, string>> = {
  ' ': 'Space',
  ArrowUp: '↑',
  ArrowDown: '↓',
  ArrowLeft: '←',
  ArrowRight: '→',
  PageUp: 'Page Up',
  PageDown: 'Page Down',
  Escape: 'Esc',
};

/** Returns the key labels of each stroke: `Mod-k` is [["Ctrl", "K"]], `g c` is [["G"], ["C"]]. */
export function keyNames(keys: string, mac: boolean): readonly (readonly string[])[] {
  const strokes = keys === ' ' ? [keys] : keys.split(' ');
  return strokes.map((stroke) =>
    stroke.split('-').map((part) => {
      if (part === 'Mod') return mac ? '⌘' : 'Ctrl';
      return NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part);
    }),
  );
}
