/**
 * Returns the rows of a map function while it runs, in the order of document ids. Builds no index,
 * so the first rows arrive at once.
 */
import { checkCount, checkOnProgress } from '../base/check-options.ts';
import type { Readers, Snapshot } from '../commit/snapshot.ts';
import type { MapDefinition } from '../index/define.ts';
import { decodeKey } from '../index/key-order.ts';
import { decodeValue } from '../index/row-value.ts';
import { startMap } from '../index/run-map.ts';
import type { Row } from '../index/select.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Slices } from './counted-trie.ts';
import type { CursorOptions } from './cursor-options.ts';
import { documentBatches } from './read-batch.ts';

const BATCH = 250;

/**
 * @throws FixpointError QUERY_INVALID, MAP_FAILED, MISSING_BLOCK, CORRUPT; the reason of the signal
 */
export async function* mapRows(
  { readers, snapshot }: { readonly readers: Readers; readonly snapshot: Snapshot },
  { map, sandbox }: { readonly map: MapDefinition; readonly sandbox: Sandbox | undefined },
  { limit = Number.POSITIVE_INFINITY, onProgress }: CursorOptions,
  slices: Slices,
): AsyncGenerator<readonly Row[], void> {
  checkCount('limit', limit);
  checkOnProgress({ onProgress });
  if (limit === 0) return;
  const run = await startMap(map, sandbox);
  let seen = 0;
  let found = 0;
  try {
    for await (const docs of documentBatches(readers, snapshot, {}, { ...slices, size: BATCH })) {
      const mapped = await run.run(docs);
      seen += docs.length;
      const rows = mapped.slice(0, limit - found).map(({ at, key, value }) => ({
        key: decodeKey(key).key,
        id: docs[at]?._id ?? '',
        value: decodeValue(value),
      }));
      found += rows.length;
      onProgress?.({ seen, found });
      if (rows.length > 0) yield rows;
      if (found >= limit) return;
    }
  } finally {
    run.close();
  }
}
