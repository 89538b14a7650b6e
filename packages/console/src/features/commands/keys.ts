/** Reading keys, and writing them for people. */
import { PAGE_SHORTCUTS, type PageShortcut } from './shortcuts.ts';

export type Pressed = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'timeStamp'
>;

export const isMac = (): boolean => /Mac OS X|iPhone|iPad/.test(navigator.userAgent);

/** The key as the table of shortcuts writes it; undefined for one with other modifiers. */
export function strokeOf(
  { key, ctrlKey, metaKey, altKey, shiftKey }: Pressed,
  mac: boolean,
): string | undefined {
  const [mod, other] = mac ? [metaKey, ctrlKey] : [ctrlKey, metaKey];
  if (altKey || other) return undefined;
  if (mod) return shiftKey ? undefined : `Mod-${key.toLowerCase()}`;
  return key;
}

/** Whether it is made of keys without a modifier, which somebody may turn off (WCAG 2.1.4). */
export const isSingleKey = (keys: string): boolean => !keys.startsWith('Mod-');

/** How long after the first key of two the second may come. */
const PAUSE_MS = 1500;

const BY_KEYS: ReadonlyMap<string, PageShortcut> = new Map(
  Object.entries(PAGE_SHORTCUTS).flatMap(([name, { keys }]) =>
    keys.map((each): [string, PageShortcut] => [each, name as PageShortcut]),
  ),
);
const BEGINNINGS = new Set([...BY_KEYS.keys()].filter((keys) => keys.includes(' ')).map((keys) => keys[0]));

/** Tells which shortcut of the page a key completes, by what was pressed just before. */
export function keyReader(mac: boolean): (pressed: Pressed) => PageShortcut | undefined {
  let begun: { readonly stroke: string; readonly at: number } | undefined;
  return (pressed) => {
    const stroke = strokeOf(pressed, mac);
    const before = begun;
    begun = undefined;
    if (stroke === undefined) return undefined;
    const isInTime = before !== undefined && pressed.timeStamp - before.at <= PAUSE_MS;
    const found = isInTime ? BY_KEYS.get(`${before.stroke} ${stroke}`) : undefined;
    if (found !== undefined) return found;
    if (BEGINNINGS.has(stroke)) begun = { stroke, at: pressed.timeStamp };
    return BY_KEYS.get(stroke);
  };
}

/** A text after a key was pressed in a field that is not there yet. */
export function textAfter(text: string, { key, ctrlKey, metaKey, altKey }: Pressed): string {
  if (ctrlKey || metaKey || altKey) return text;
  if (key === 'Backspace') return [...text].slice(0, -1).join('');
  return [...key].length === 1 ? text + key : text;
}

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

/** Each stroke as the words on its keys: `Mod-k` is [["Ctrl", "K"]], `g c` is [["G"], ["C"]]. */
export function keyNames(keys: string, mac: boolean): readonly (readonly string[])[] {
  const strokes = keys === ' ' ? [keys] : keys.split(' ');
  return strokes.map((stroke) =>
    stroke.split('-').map((part) => {
      if (part === 'Mod') return mac ? '⌘' : 'Ctrl';
      return NAMES[part] ?? (part.length === 1 ? part.toUpperCase() : part);
    }),
  );
}

const TAKES_KEYS =
  'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="menu"], [role="listbox"]';

const IN_FRONT = '[role="dialog"], [role="alertdialog"]';

const isFrom = (path: readonly EventTarget[], selector: string): boolean =>
  path.some((one) => one instanceof Element && one.matches(selector));

/** Whether a key without a modifier belongs to where it was pressed: a text, a menu, a dialog. `path` looks into shadow roots. */
export const isTyped = (path: readonly EventTarget[]): boolean => isFrom(path, `${TAKES_KEYS}, ${IN_FRONT}`);

/** Whether it was pressed in something that stands in front of the page. */
export const isInDialog = (path: readonly EventTarget[]): boolean => isFrom(path, IN_FRONT);
