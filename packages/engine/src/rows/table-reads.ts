/**
 * Reads for a table of a database: windows, counts, cursors and streams, all in slices and
 * cancellable by a signal.
 */

import { checkCount, checkIdBounds } from '../base/check-options.ts';
import { createPace, paceBehind } from '../base/pace.ts';
import type { Commits } from '../commit/commits-interface.ts';
import type { LiveDoc } from '../documents/decode-fields.ts';
import { knownDeletions } from '../documents/deletions.ts';
import type { MapDefinition } from '../index/define.ts';
import type { Row } from '../index/select.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Time } from '../ports/time.ts';
import { createCountedTrie, type Slices } from './counted-trie.ts';
import type { CursorOptions } from './cursor-options.ts';
import { createFieldCounter, type FieldCounter } from './field-use.ts';
import { mapRows } from './map-rows.ts';
import { documentBatches } from './read-batch.ts';
import { type RowWindow, readWindow, type WindowOptions } from './window.ts';

/** Work runs this long before it yields. */
const SLICE_MS = 6;
const SCAN_BATCH = 500;

/** Which documents are streamed, and how many per batch. */
export interface ScanOptions {
  /** Selects ids with this prefix. */
  readonly prefix?: string | undefined;
  /** First and last id, both inclusive. */
  readonly range?: readonly [string, string] | undefined;
  /** Sorts by id in descending order. */
  readonly descending?: boolean | undefined;
  /** Documents per batch; default 500. */
  readonly batch?: number | undefined;
  /** Cancels the stream, which rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface RowsSource {
  readonly fields: FieldCounter;
  slices(signal: AbortSignal | undefined): Slices;
  window(options: WindowOptions): Promise<RowWindow>;
  count(signal: AbortSignal | undefined): Promise<number>;
  map(
    map: MapDefinition,
    sandbox: Sandbox | undefined,
    options: CursorOptions,
  ): AsyncGenerator<readonly Row[], void>;
  scan(options: ScanOptions): AsyncGenerator<readonly LiveDoc[], void>;
}

type CommitsRead =
  | 'readers'
  | 'snapshot'
  | 'settle'
  | 'subscribe'
  | 'read'
  | 'stream'
  | 'readIndexes'
  | 'archiveOf'
  | 'pendingUploads';

export function createRows(
  commits: Pick<Commits, CommitsRead>,
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
    // Wait for a running count, because two concurrent counts would read everything twice.
    while (counting !== undefined) await counting;
    const total = await commits.read(async ({ root }) =>
      root === undefined ? 0 : counted.count(root, slices(signal)),
    );
    wasCounted = true;
    return total;
  };

  /** Counts in the background, so that the first window doesn't wait for the count. */
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
      // Once all documents were counted, a count reads only the shards that changed.
      if (wasCounted) await count(options.signal);
      const read = () =>
        commits.read((snapshot) =>
          readWindow({ commits, readers, snapshot, counted, slices: slices(options.signal) }, options),
        );
      let deletions = knownDeletions();
      let window = await read();
      // The read may have found that some documents are deleted. Then read again, so that other
      // documents fill their rows.
      for (; deletions !== knownDeletions(); window = await read()) deletions = knownDeletions();
      if (window.total === undefined) countInBackground();
      return window;
    },
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
