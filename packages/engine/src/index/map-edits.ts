/** Turns changed documents into edits of an index whose rows a map emits. */
import { asArray, asText, decode, encode } from '../codec/dag-cbor.ts';
import { createEditRuns } from '../prolly/edit-runs.ts';
import { getMany } from '../prolly/locate.ts';
import type { Edit } from '../prolly/put-many.ts';
import type { MappedRow, MapRun } from './run-map.ts';
import type { IndexRun } from './update.ts';

/** Returns the `IndexRun` of an index that stores the rows of a map function. */
export const mapIndexRun = (map: MapRun): IndexRun => ({
  fields: map.fields,
  begin: async ({ byId: root }, read) => {
    const byKeyRuns = createEditRuns();
    const byIdRuns = createEditRuns();
    return {
      take: async ({ ids, live }) => {
        // No two batches contain the same document, so their edits never have a key in common.
        const [byKey, byId]: [Edit[], Edit[]] = [[], []];
        const known = root === undefined ? [] : ids.map(treeIdOf).sort();
        for (const [id, keys] of await getMany(read, root, known)) {
          for (const key of keysOf(keys)) byKey.push([key, undefined]);
          byId.push([id, undefined]);
        }
        addRows(live, await map.run(live), byKey, byId);
        byKeyRuns.add(byKey);
        byIdRuns.add(byId);
      },
      finish: async () => ({ byKey: byKeyRuns.merged(), byId: byIdRuns.merged() }),
    };
  },
  close: map.close,
});

const treeIdOf = (id: string): string => `i${id}`;

const keysOf = (value: Uint8Array | null): string[] =>
  value === null ? [] : asArray(decode(value)).map(asText);

/** Adds the rows of documents. The rows must be in the order of the documents. */
function addRows(
  documents: readonly { readonly _id: string }[],
  rows: readonly MappedRow[],
  byKey: Edit[],
  byId: Edit[],
): void {
  for (let next = 0; next < rows.length; ) {
    const { at } = rows[next] as MappedRow;
    const id = documents[at]?._id ?? '';
    const keys: string[] = [];
    const times = new Map<string, number>();
    for (; rows[next]?.at === at; next++) {
      const { key, value } = rows[next] as MappedRow;
      const first = key + id;
      const before = times.get(first) ?? 0;
      times.set(first, before + 1);
      const treeKey = before === 0 ? first : `${first}\u0000${String(before + 1).padStart(7, '0')}`;
      keys.push(treeKey);
      byKey.push([treeKey, value]);
    }
    byId.push([treeIdOf(id), encode(keys)]);
  }
}
