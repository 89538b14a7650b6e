/** Finds the values of a document that are ids of other documents of the same database. */
import type { BridgedDatabase } from 'fixpoint/bridge';
import { useEffect, useMemo, useState } from 'react';
import type { FieldNode } from './json-tree.ts';

/** Number of values that are looked up, for documents with many texts. */
const LOOKED_MAX = 500;
const ID_CHARS_MAX = 200;
/** Ids consist of printable ASCII characters. */
const MAY_BE_ID = /^[\x20-\x7e]+$/;

function possibleIds(fields: readonly FieldNode[], own: string | undefined): readonly string[] {
  const ids = new Set<string>();
  const visit = ({ kind, text, children }: FieldNode) => {
    if (kind === 'text' && text.length <= ID_CHARS_MAX && text !== own && MAY_BE_ID.test(text)) ids.add(text);
    for (const child of children) visit(child);
  };
  for (const field of fields) visit(field);
  return [...ids].slice(0, LOOKED_MAX);
}

const NONE: ReadonlySet<string> = new Set();
const PAUSE_MS = 200;

/** Returns the ids among the values for which a document exists, soon after the values change. */
export function useLinkedIds(
  database: Pick<BridgedDatabase, 'rows'>,
  fields: readonly FieldNode[] | undefined,
  own: string | undefined,
): ReadonlySet<string> {
  const [linked, setLinked] = useState(NONE);
  const sought = useMemo(
    () => JSON.stringify(fields === undefined ? [] : possibleIds(fields, own)),
    [fields, own],
  );
  useEffect(() => {
    let isOver = false;
    const keys = JSON.parse(sought) as readonly string[];
    if (keys.length === 0) {
      setLinked(NONE);
      return undefined;
    }
    const look = async () => {
      const { rows } = await database.rows.window({ ids: keys, limit: keys.length, fields: [] });
      if (!isOver) setLinked(new Set(rows.map(({ id }) => id)));
    };
    // Without an answer, the values are shown without links.
    const timer = setTimeout(() => void look().catch(() => undefined), PAUSE_MS);
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [database, sought]);
  return linked;
}
