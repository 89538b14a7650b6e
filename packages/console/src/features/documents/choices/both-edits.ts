/** Combines two edits of the same text or list, and finds what an edit changed. */
import { diffArrays } from 'diff';
import { same } from './merge-fields.ts';

/** Longer values aren't compared word by word. */
const CHARS_MAX = 20_000;
const ITEMS_MAX = 2000;
/** Values that differ in more places aren't compared word by word. */
const EDITS_MAX = 2000;
/** Matches a word, white space, or any other single character. */
const WORD = /\s+|[\p{L}\p{N}\p{M}_]+|[^\s\p{L}\p{N}\p{M}_]/gu;

/** Replaces the part of a list from `from` up to `to`. */
interface Edit {
  readonly from: number;
  to: number;
  insert: readonly unknown[];
}

/**
 * Returns a value with the edits of both sides: texts by word, lists by item. Returns undefined if
 * they changed the same place, and for other values.
 */
export function bothOf(was: unknown, mine: unknown, theirs: unknown): unknown {
  if (typeof was === 'string' && typeof mine === 'string' && typeof theirs === 'string') {
    if (was.length + mine.length + theirs.length > CHARS_MAX) return undefined;
    return combined(wordsOf(was), wordsOf(mine), wordsOf(theirs), false)?.join('');
  }
  const base = was === undefined ? [] : was;
  if (!Array.isArray(base) || !Array.isArray(mine) || !Array.isArray(theirs)) return undefined;
  if (base.length + mine.length + theirs.length > ITEMS_MAX) return undefined;
  return combined(base, mine, theirs, true);
}

/** @param canFollow whether both sides may insert at the same place: first mine, then theirs */
function combined(
  base: readonly unknown[],
  mine: readonly unknown[],
  theirs: readonly unknown[],
  canFollow: boolean,
): unknown[] | undefined {
  const [own, other] = [editsOf(base, mine), editsOf(base, theirs)];
  if (own === undefined || other === undefined) return undefined;
  const edits = [...own, ...other].sort((a, b) => a.from - b.from || a.to - b.to);
  const result: unknown[] = [];
  let at = 0;
  let last: Edit | undefined;
  for (const edit of edits) {
    const isSamePlace = last !== undefined && (edit.from < last.to || edit.from === last.from);
    if (last !== undefined && isSamePlace) {
      if (isSameEdit(edit, last)) continue;
      const bothInsert = edit.to === edit.from && last.to === last.from;
      if (!canFollow || !bothInsert) return undefined;
    }
    const known = isSamePlace && last !== undefined ? last.insert : [];
    for (; at < edit.from; at += 1) result.push(base[at]);
    // An item that both sides added is added once.
    for (const item of edit.insert) if (!known.some((one) => same(one, item))) result.push(item);
    at = edit.to;
    last = edit;
  }
  for (; at < base.length; at += 1) result.push(base[at]);
  return result;
}

const isSameEdit = (a: Edit, b: Edit): boolean =>
  a.from === b.from && a.to === b.to && same(a.insert, b.insert);

function editsOf(base: readonly unknown[], next: readonly unknown[]): readonly Edit[] | undefined {
  const changes = diffArrays([...base], [...next], { maxEditLength: EDITS_MAX, comparator: same });
  if (changes === undefined) return undefined;
  const edits: Edit[] = [];
  let open: Edit | undefined;
  let at = 0;
  for (const { value, added, removed } of changes) {
    if (!added && !removed) {
      at += value.length;
      open = undefined;
      continue;
    }
    if (open === undefined) {
      open = { from: at, to: at, insert: [] };
      edits.push(open);
    }
    if (added) open.insert = open.insert.concat(value);
    else {
      at += value.length;
      open.to = at;
    }
  }
  return edits;
}

const wordsOf = (text: string): readonly string[] => text.match(WORD) ?? [];

export interface TextPart {
  readonly text: string;
  readonly kind: 'same' | 'added' | 'removed';
}

/** Returns the parts of a text that an edit kept, added and removed, in their order. */
export function textParts(was: string, now: string): readonly TextPart[] {
  const changes =
    was.length + now.length > CHARS_MAX
      ? undefined
      : diffArrays([...wordsOf(was)], [...wordsOf(now)], { maxEditLength: EDITS_MAX });
  if (changes === undefined) return [{ text: now, kind: 'same' }];
  return changes.map(({ value, added, removed }) => ({
    text: value.join(''),
    kind: added ? 'added' : removed ? 'removed' : 'same',
  }));
}
