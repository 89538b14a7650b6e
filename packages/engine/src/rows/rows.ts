/** What a table of a database needs: windows, counts, cursors and streams, all in slices and with an end that a signal can bring. */

import { checkCount, checkIdBounds } from '../base/check-options.ts';
import { createPace, paceBehind } from '../base/pace.ts';
import type { Commits } from '../commit/open.ts';
import { knownDeletions } from '../documents/deletions.ts';
import type { MapDefinition } from '../index/define.ts';
import type { Row } from '../index/select.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Time } from '../ports/time.ts';
import { createCountedTrie, type Slices } from './counted-trie.ts';
import { createFieldCounter, type FieldCounter } from './field-use.ts';
import { type FindOptions, findIds } from './find.ts';
import { type MapRowsOptions, mapRows } from './map-rows.ts';
import { documentBatches, type LiveDoc } from './read-batch.ts';
import { type RowWindow, readWindow, type WindowOptions } from './window.ts';

/** Work goes on for so long before others get their turn. */
const SLICE_MS = 6;
const SCAN_BATCH = 500;

/** Which documents are streamed, and how many at once. */
export interface ScanOptions {
  /** Ids that begin so. */
  readonly prefix?: string | undefined;
  /** From and to, both included. */
  readonly range?: readonly [string, string] | undefined;
  /** The greatest id first. */
  readonly descending?: boolean | undefined;
  /** Documents given at once; default 500. */
  readonly batch?: number | undefined;
  /** Ends the stream, which rejects with its reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface RowsSource {
  readonly fields: FieldCounter;
  slices(signal: AbortSignal | undefined): Slices;
  window(options: WindowOptions): Promise<RowWindow>;
  count(signal: AbortSignal | undefined): Promise<number>;
  find(options: FindOptions): AsyncGenerator<readonly string[], void>;
  map(
    map: MapDefinition,
    sandbox: Sandbox | undefined,
    options: MapRowsOptions,
  ): AsyncGenerator<readonly Row[], void>;
  scan(options: ScanOptions): AsyncGenerator<readonly LiveDoc[], void>;
}

export function createRows(
  commits: Pick<
    Commits,
    'readers' | 'snapshot' | 'subscribe' | 'read' | 'stream' | 'archiveOf' | 'pendingUploads'
  >,
  time: Time,
  report: (error: unknown) => void,
  reading: ReadonlySet<Promise<unknown>>,
): RowsSource {
  const { readers } = commits;
  const counted = createCountedTrie(readers.shard);
  let counting: Promise<unknown> | undefined;
  let wasCounted = false;

  const slices = (signal?: AbortSignal | undefined): Slices => ({
    pace: paceBehind(reading, createPace(time, SLICE_MS)),
    signal,
  });

  const count = async (signal?: AbortSignal | undefined): Promise<number> => {
    // Two that count at once would read all of it twice.
    while (counting !== undefined) await counting;
    const total = await commits.read(async ({ root }) =>
      root === undefined ? 0 : counted.count(root, slices(signal)),
    );
    wasCounted = true;
    return total;
  };

  /** The first window does not wait for the count; it is made behind it. */
  function countInBackground(): void {
    if (counting !== undefined) return;
    const own = count()
      .catch(report)
      .finally(() => {
        counting = undefined;
      });
    counting = own;
  }

  return {
    slices,
    fields: createFieldCounter(commits, slices, report),
    count,
    window: async (options) => {
      // What was counted once is counted again by the shards that changed.
      if (wasCounted) await count(options.signal);
      const read = () =>
        commits.read((snapshot) =>
          readWindow({ commits, readers, snapshot, counted, slices: slices(options.signal) }, options),
        );
      let deletions = knownDeletions();
      let window = await read();
      // Documents that turn out to be deleted leave their places to others.
      for (; deletions !== knownDeletions(); window = await read()) deletions = knownDeletions();
      if (window.total === undefined) countInBackground();
      return window;
    },
    find: (options) =>
      commits.stream((snapshot) => findIds(readers, snapshot, options, slices(options.signal))),
    map: (map, sandbox, options) =>
      commits.stream((snapshot) =>
        mapRows({ readers, snapshot }, { map, sandbox }, options, slices(options.signal)),
      ),
    scan: ({ prefix, range, descending, batch = SCAN_BATCH, signal }) => {
      checkCount('batch', batch);
      checkIdBounds({ prefix, range });
      return commits.stream((snapshot) =>
        documentBatches(
          readers,
          snapshot,
          { prefix, from: range?.[0], to: range?.[1], descending },
          { ...slices(signal), size: batch },
        ),
      );
    },
  };
}
