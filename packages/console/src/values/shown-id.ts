/** Formats document ids for people. */

/**
 * Matches most ids that are shown unchanged: visible ASCII characters with single spaces between
 * them. Ids with a quote at the start need another check, because a quote marks ids that are shown
 * as JSON.
 */
const PLAIN = /^[!#-~][!-~]*(?: [!-~]+)*$/;
/**
 * Characters that are invisible, or that change how their neighbours look: controls, direction
 * marks, fillers, unusual spaces.
 */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}|^ | $| {2}/u;

/**
 * Returns the id unchanged if it is visible and looks like no other id. Otherwise returns the id as
 * JSON, with invisible characters escaped.
 */
export function shownId(id: string): string {
  if (PLAIN.test(id) || !(id === '' || HIDDEN.test(id) || isShownForm(id))) return id;
  return JSON.stringify(id).replace(UNSEEN, escaped);
}

/** Returns whether another id is shown as this text. */
function isShownForm(id: string): boolean {
  if (!/^".*"$/.test(id)) return false;
  try {
    const other: unknown = JSON.parse(id);
    return typeof other === 'string' && shownId(other) === id;
  } catch {
    return false;
  }
}

/** Returns the id in quotes in any case, for use within a sentence. */
export function quotedId(id: string): string {
  const shown = shownId(id);
  return shown === id ? `"${id}"` : shown;
}

const escaped = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

const EVENT_CHARS = 8;

/**
 * Returns the end of an event's id. Users recognise events by it, because all ids begin with the
 * same characters.
 */
export const eventName = (event: string): string => event.slice(-EVENT_CHARS);

/** Matches ids that the engine chose, which all look alike at the start. */
const CHOSEN_ID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/;
const SHORT_CHARS = 7;

/** Returns whether the engine chose the id. */
export const isChosenId = (id: string): boolean => CHOSEN_ID.test(id);

/** Returns the end of an id that the engine chose, for tables. Ids that people chose stay whole. */
export const shortId = (id: string): string => (CHOSEN_ID.test(id) ? id.slice(-SHORT_CHARS) : shownId(id));
