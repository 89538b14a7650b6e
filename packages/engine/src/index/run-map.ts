/** Runs a map function over batches of documents and returns entries for the index. */
import { FixpointError } from '@fixpoint/protocol';
import type { Doc } from '../documents/encode.ts';
import type { Sandbox } from '../ports/sandbox.ts';
import type { Value } from '../prolly/node.ts';
import type { MapDefinition, MapFunction } from './define.ts';
import { encodeKey } from './key-order.ts';
import { encodeValue } from './row-value.ts';

export interface MappedRow {
  /** Position of the document in the batch. */
  readonly at: number;
  /** The key in its ordered form. */
  readonly key: string;
  readonly value: Value;
}

export interface MapRun {
  /** The fields that the map reads, if known. Documents may then omit their other fields. */
  readonly fields?: readonly string[];
  /** @throws FixpointError MAP_FAILED */
  run(documents: readonly Doc[]): Promise<readonly MappedRow[]>;
  close(): void;
}

/** @throws FixpointError MAP_FAILED */
export async function startMap(map: MapDefinition, sandbox: Sandbox | undefined): Promise<MapRun> {
  if (typeof map === 'string')
    return { fields: [map], run: async (documents) => byField(map, documents), close: nothing };
  if (typeof map === 'function')
    return { run: async (documents) => byFunction(map, documents), close: nothing };
  if (sandbox === undefined) throw new FixpointError('MAP_FAILED', 'no sandbox');
  const sandboxed = await sandbox.open(map.source);
  return {
    run: async (documents) => {
      const emitted = await sandboxed.run(documents);
      return emitted.map(({ at, key, value }) => ({ at, key: encodeKey(key), value: encodeValue(value) }));
    },
    close: () => sandboxed.close(),
  };
}

const nothing = (): void => undefined;

function byField(field: string, documents: readonly Doc[]): MappedRow[] {
  return documents.flatMap((doc, at) => {
    const key = Object.hasOwn(doc, field) ? doc[field] : undefined;
    return key === undefined || key === null ? [] : [{ at, key: encodeKey(key), value: null }];
  });
}

function byFunction(map: MapFunction, documents: readonly Doc[]): MappedRow[] {
  const rows: MappedRow[] = [];
  documents.forEach((doc, at) => {
    let emitted = false;
    const returned = called(() =>
      map(doc, (key, value) => {
        emitted = true;
        if (key !== undefined) rows.push({ at, key: encodeKey(key), value: encodeValue(value) });
      }),
    );
    if (emitted || returned === undefined) return;
    if (typeof (returned as { then?: unknown } | null)?.then === 'function')
      throw new FixpointError('MAP_FAILED', 'mapFn must be a function');
    rows.push({ at, key: encodeKey(returned), value: null });
  });
  return rows;
}

/** Runs a map function. Converts whatever the function throws to an error with the same message. */
function called(map: () => unknown): unknown {
  try {
    return map();
  } catch (cause) {
    if (cause instanceof FixpointError && cause.code === 'MAP_FAILED') throw cause;
    throw new FixpointError('MAP_FAILED', textOf(cause), { cause });
  }
}

/** A thrown value can be anything, even one without a text form. */
function textOf(thrown: unknown): string {
  try {
    return thrown instanceof Error ? thrown.message : String(thrown);
  } catch {
    return 'it threw what has no text';
  }
}
