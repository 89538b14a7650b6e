/** Reads key presses. */
import { PAGE_SHORTCUTS, type PageShortcut } from '../../ui/shortcut-table.ts';

export type Pressed = Pick<
  KeyboardEvent,
  'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey' | 'timeStamp'
>;

/**
 * Returns the key as written in the table of shortcuts; undefined if other modifiers are pressed.
 */
export function strokeOf(
  { key, ctrlKey, metaKey, altKey, shiftKey }: Pressed,
  mac: boolean,
): string | undefined {
  const [mod, other] = mac ? [metaKey, ctrlKey] : [ctrlKey, metaKey];
  if (altKey || other) return undefined;
  if (mod) return `Mod-${shiftKey ? 'Shift-' : ''}${key.toLowerCase()}`;
  return key;
}

/** Returns whether a shortcut has no modifier, so that users can disable it (WCAG 2.1.4). */
export const isSingleKey = (keys: string): boolean => !keys.startsWith('Mod-');

/** Maximum time in ms between the two keys of a shortcut. */
const PAUSE_MS = 1500;

const BY_KEYS: ReadonlyMap<string, PageShortcut> = new Map(
  Object.entries(PAGE_SHORTCUTS).flatMap(([name, { keys }]) =>
    keys.map((each): [string, PageShortcut] => [each, name as PageShortcut]),
  ),
);
const BEGINNINGS = new Set([...BY_KEYS.keys()].filter((keys) => keys.includes(' ')).map((keys) => keys[0]));

/**
 * Returns a function that receives each key press, and returns the page shortcut that the key
 * completes, alone or after the previous key.
 */
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

/**
 * Returns the text after one more key press, for keys typed before the text's field is rendered.
 */
export function textAfter(text: string, { key, ctrlKey, metaKey, altKey }: Pressed): string {
  if (ctrlKey || metaKey || altKey) return text;
  if (key === 'Backspace') return [...text].slice(0, -1).join('');
  return [...key].length === 1 ? text + key : text;
}

const TAKES_KEYS =
  'input:not([type="checkbox"]), textarea, select, [contenteditable="true"], [role="menu"], [role="listbox"]';

const IN_FRONT = '[role="dialog"], [role="alertdialog"]';

const isFrom = (path: readonly EventTarget[], selector: string): boolean =>
  path.some((one) => one instanceof Element && one.matches(selector));

/**
 * Returns whether a key without a modifier belongs to the element it was pressed in: a text, a
 * menu, a dialog. `path` includes shadow roots.
 */
export const isTyped = (path: readonly EventTarget[]): boolean => isFrom(path, `${TAKES_KEYS}, ${IN_FRONT}`);

/** Returns whether a key was pressed in an element in front of the page, such as a dialog. */
export const isInDialog = (path: readonly EventTarget[]): boolean => isFrom(path, IN_FRONT);
