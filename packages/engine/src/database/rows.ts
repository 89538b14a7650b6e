import { FixpointError } from '@fixpoint/protocol';
import type { Doc } from '../documents/encode.ts';
import { withFiles } from '../files/read-file.ts';
import type { MapDefinition } from '../index/define.ts';
import type { Row } from '../index/select.ts';
import type { FieldUses } from '../rows/field-use.ts';
import type { FindOptions } from '../rows/find.ts';
import type { MapRowsOptions } from '../rows/map-rows.ts';
import { createRows, type RowsSource, type ScanOptions } from '../rows/rows.ts';
import type { RowWindow, WindowOptions } from '../rows/window.ts';
import type { Core } from './core.ts';
import type { Database, Stored } from './database.ts';
import { insideOf } from './inside.ts';

/**
 * Parts of a database of any size. Nothing here stops the event loop for long: work is done in slices. Each call can be ended by a signal and rejects
 * with its reason then. What a cursor or a stream gives is of the moment of its first step.
 */
export interface Rows {
  /** Ids and previews of some documents, in the order of ids. @throws FixpointError QUERY_INVALID, KEY_INVALID, MISSING_BLOCK, CORRUPT */
  window(options?: WindowOptions): Promise<RowWindow>;
  /** The number of documents, without deleted ones. The first call reads the whole index of ids, later ones what changed. @throws FixpointError MISSING_BLOCK, CORRUPT */
  count(options?: { readonly signal?: AbortSignal | undefined }): Promise<number>;
  /** The fields that documents have, `_id` first, then by how many have them. The first call counts them, later ones know. @throws FixpointError MISSING_BLOCK, CORRUPT */
  fields(options?: { readonly signal?: AbortSignal | undefined }): Promise<FieldUses>;
  /** Calls back with the fields when they are counted and after each change of them. What it gives back ends that. */
  onFields(listener: (uses: FieldUses) => void): () => void;
  /** Ids of the documents that match, in parts. @throws FixpointError QUERY_INVALID, MISSING_BLOCK, CORRUPT */
  find(options?: FindOptions): AsyncIterable<readonly string[]>;
  /** Rows of a map function as it runs, in the order of document ids; no index is built. @throws FixpointError QUERY_INVALID, MAP_FAILED, MISSING_BLOCK, CORRUPT */
  map(map: MapDefinition, options?: MapRowsOptions): AsyncIterable<readonly Row[]>;
  /** Whole documents in the order of their ids, in batches; memory holds one batch. @throws FixpointError QUERY_INVALID, MISSING_BLOCK, CORRUPT */
  scan<T extends object = Doc>(options?: ScanOptions): AsyncIterable<readonly Stored<T>[]>;
}

const sources = new WeakMap<Core, RowsSource>();

function sourceOf(core: Core): RowsSource {
  const { time, report } = core.platform;
  const source = sources.get(core) ?? createRows(core.commits, time, report, core.reading);
  sources.set(core, source);
  return source;
}

/** The rows of a handle. @throws FixpointError NOT_IMPLEMENTED for what is no handle of this engine; one of a worker has its own */
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
      yield* (await open()).find(options);
    },
    async *map(map, options = {}) {
      yield* (await open()).map(map, inside.sandbox, options);
    },
    async *scan<T extends object>(options: ScanOptions = {}) {
      const { readers } = (await inside.open()).commits;
      for await (const docs of (await open()).scan(options))
        yield docs.map((doc) => withFiles(doc, readers.fileArchive)) as unknown as Stored<T>[];
    },
  };
}
