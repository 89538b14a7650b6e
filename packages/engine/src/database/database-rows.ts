import { FixpointError } from '@fixpoint/protocol';
import type { Doc } from '../documents/encode.ts';
import { withFiles } from '../files/read-file.ts';
import { findIds, type SearchOptions } from '../find/find-ids.ts';
import type { MapDefinition } from '../index/define.ts';
import type { Row } from '../index/select.ts';
import { loadOpenChunk } from '../open-chunk.ts';
import type { CursorOptions } from '../rows/cursor-options.ts';
import type { FieldUses } from '../rows/field-use.ts';
import { createRows, type RowsSource, type ScanOptions } from '../rows/table-reads.ts';
import type { RowWindow, WindowOptions } from '../rows/window.ts';
import type { Core } from './core.ts';
import type { Database, Stored } from './database.ts';
import { insideOf } from './inside.ts';

/**
 * Reads parts of a database of any size, in short slices that don't block the event loop. A signal
 * cancels a call, which then rejects with the signal's reason. A stream reads the version that was
 * current at its first step.
 */
export interface Rows {
  /**
   * Returns ids and previews of some documents, sorted by id.
   * @throws FixpointError QUERY_INVALID, KEY_INVALID, MISSING_BLOCK, CORRUPT
   */
  window(options?: WindowOptions): Promise<RowWindow>;
  /**
   * Returns the number of documents, without deleted ones. The first call reads the whole index of
   * ids; later calls read only the changes.
   * @throws FixpointError MISSING_BLOCK, CORRUPT
   */
  count(options?: { readonly signal?: AbortSignal | undefined }): Promise<number>;
  /**
   * Returns the fields that documents have: `_id` first, then the others sorted by the number of
   * documents that have them. The first call counts the fields of all documents; later calls read
   * only the changes.
   * @throws FixpointError MISSING_BLOCK, CORRUPT
   */
  fields(options?: { readonly signal?: AbortSignal | undefined }): Promise<FieldUses>;
  /**
   * Calls `listener` once the fields are counted, and again whenever they change. Returns a
   * function that unsubscribes.
   */
  onFields(listener: (uses: FieldUses) => void): () => void;
  /**
   * Returns the ids of matching documents, in batches.
   * @throws FixpointError QUERY_INVALID, MISSING_BLOCK, CORRUPT
   */
  find(options?: SearchOptions): AsyncIterable<readonly string[]>;
  /**
   * Runs a map function and returns rows as the function produces them, ordered by document id.
   * Doesn't build an index.
   * @throws FixpointError QUERY_INVALID, MAP_FAILED, MISSING_BLOCK, CORRUPT
   */
  map(map: MapDefinition, options?: CursorOptions): AsyncIterable<readonly Row[]>;
  /**
   * Returns whole documents sorted by id, in batches. Reads at most 8 MB of documents ahead.
   * @throws FixpointError QUERY_INVALID, MISSING_BLOCK, CORRUPT
   */
  scan<T extends object = Doc>(options?: ScanOptions): AsyncIterable<readonly Stored<T>[]>;
}

const sources = new WeakMap<Core, RowsSource>();

function sourceOf(core: Core): RowsSource {
  const { time, report } = core.platform;
  const source = sources.get(core) ?? createRows(core.commits, time, report, core.reading);
  sources.set(core, source);
  return source;
}

/**
 * Returns the row functions of a handle.
 * @throws FixpointError NOT_IMPLEMENTED for anything but a handle of this engine; a handle of a
 * worker has its own `rows`
 */
export function rowsOf(database: Database): Rows {
  const inside = insideOf(database);
  if (inside === undefined) throw new FixpointError('NOT_IMPLEMENTED', 'rows of a foreign handle');
  const open = async () => sourceOf(await inside.open());
  return {
    window: async (options = {}) => (await open()).window(options),
    count: async ({ signal } = {}) => (await open()).count(signal),
    fields: async ({ signal } = {}) => {
      const source = await open();
      return source.fields.get(source.slices(signal));
    },
    onFields: (listener) => {
      const stopped = new AbortController();
      let stop = (): void => undefined;
      let told: FieldUses | undefined;
      const tell = (uses: FieldUses) => {
        if (uses === told || stopped.signal.aborted) return;
        told = uses;
        listener(uses);
      };
      const start = async () => {
        const source = await open();
        if (stopped.signal.aborted) return;
        stop = source.fields.onChange(tell);
        tell(await source.fields.get(source.slices(stopped.signal)));
      };
      start().catch((cause) => {
        if (cause !== stopped.signal.reason) inside.report(cause);
      });
      return () => {
        stopped.abort();
        stop();
      };
    },
    async *find(options = {}) {
      const { commits, indexes: lazy } = await inside.open();
      const [source, indexes] = [await open(), await lazy.load()];
      const slices = source.slices(options.signal);
      yield* commits.stream((at) => findIds({ readers: commits.readers, indexes, slices }, at, options));
    },
    async *map(map, options = {}) {
      yield* (await open()).map(map, inside.sandbox, options);
    },
    async *scan<T extends object>(options: ScanOptions = {}) {
      const { readers } = (await inside.open()).commits;
      for await (const docs of (await open()).scan(options))
        yield docs.map((doc) => withFiles(doc, readers.fileArchive, loadOpenChunk)) as unknown as Stored<T>[];
    },
  };
}
