/** How the id of a document is written where people read it. */

/** An id that looks like what it is: visible characters, single spaces between them, and no quote at the start, which others may have that are shown as JSON. */
const PLAIN = /^[!#-~][!-~]*(?: [!-~]+)*$/;
/** What has no look of its own, or changes the look of what stands beside it: controls, marks of direction, fillers, spaces that are not the usual one. */
const UNSEEN = /[\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/gu;
const HIDDEN = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}|^ | $| {2}/u;

/** The id itself; as JSON, with everything that is not seen as an escape, when it would be shown as another one, or as nothing. */
export function shownId(id: string): string {
  if (PLAIN.test(id) || !(id === '' || HIDDEN.test(id) || isShownForm(id))) return id;
  return JSON.stringify(id).replace(UNSEEN, escaped);
}

/** Whether another id is shown so. */
function isShownForm(id: string): boolean {
  if (!/^".*"$/.test(id)) return false;
  try {
    const other: unknown = JSON.parse(id);
    return typeof other === 'string' && shownId(other) === id;
  } catch {
    return false;
  }
}

/** The same in quotes in any case, within a sentence. */
export function quotedId(id: string): string {
  const shown = shownId(id);
  return shown === id ? `"${id}"` : shown;
}

const escaped = (text: string): string =>
  text.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
