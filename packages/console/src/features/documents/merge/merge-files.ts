/** Merges the attached files of two versions of a document. */
import type { Fields } from '../../../values/document-fields.ts';
import { toPlain } from '../../../values/plain-json.ts';

/**
 * Returns the files of both versions. If they have different files of the same name, the other one
 * gets a new name, so that no file is lost.
 */
export function mergedFiles(mine: Fields, theirs: Fields): Fields {
  const result = new Map(Object.entries(mine));
  for (const [field, files] of Object.entries(theirs)) {
    const own = new Map(Object.entries((result.get(field) ?? {}) as Fields));
    for (const [name, entry] of Object.entries(files as Fields)) {
      const known = own.get(name);
      if (known === undefined) own.set(name, entry);
      else if (jsonOf(known) !== jsonOf(entry)) own.set(freeName(name, own), entry);
    }
    result.set(field, Object.fromEntries(own));
  }
  return Object.fromEntries(result);
}

const jsonOf = (entry: unknown): string => JSON.stringify(toPlain(entry));

/** Returns a name such as "photo (2).png". */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  const dot = name.lastIndexOf('.');
  const [start, end] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  for (let count = 2; ; count += 1) {
    const next = `${start} (${count})${end}`;
    if (!taken.has(next)) return next;
  }
}
