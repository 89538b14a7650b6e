/**
 * Writes documents with new files. Reads and stores the files first, while writes of other
 * documents continue.
 */

import { loadDatabaseChunk } from '../chunks.ts';
import type { Operation } from '../commit/write-queue.ts';
import type { DocKey } from '../documents/doc-key.ts';
import { encodeDocument } from '../documents/encode.ts';
import { sanitise } from '../documents/sanitise.ts';
import { encodeMaps, takeFiles } from '../files/take.ts';
import type { Platform } from '../ports/platform.ts';
import type { Core, PreparedWrite, WriteOrder } from './core.ts';

/** @throws FixpointError DOC_INVALID, FILE_INVALID, LIMIT_REACHED */
export function prepareWrite(
  doc: Readonly<Record<string, unknown>>,
  key: DocKey,
  { time }: Platform,
): PreparedWrite {
  const taken = takeFiles(doc);
  if (taken === undefined) return { key, operation: { key, value: encodeDocument(doc, key) } };
  const { rest } = taken;
  if (!taken.hasNew)
    return { key, operation: { key, value: encodeDocument({ ...rest, ...encodeMaps(taken) }, key) } };
  // A copy, so that changes the caller makes while the files are read have no effect.
  const fields = sanitise(rest);
  return {
    key,
    operation: async ({ commits }) => {
      const nowMs = time.now();
      const { operationWithFiles } = await loadDatabaseChunk();
      return operationWithFiles(fields, key, taken, { stage: commits.files.stage, nowMs });
    },
  };
}

export function createWriteOrder(): WriteOrder {
  /** The latest pending write of each document. Filled only while a slow write is pending. */
  const waiting = new Map<DocKey, Promise<void>>();

  async function operationsOf(core: Core, prepared: readonly PreparedWrite[]): Promise<Operation[]> {
    const operations: Operation[] = [];
    // Read one at a time, so that the files of only one document are in memory.
    for (const { operation } of prepared)
      operations.push(typeof operation === 'function' ? await operation(core) : operation);
    return operations;
  }

  return {
    settled: async (keys = [...waiting.keys()]) => {
      await Promise.all(keys.map((key) => waiting.get(key)));
    },
    write: (core, prepared, commit) => {
      const isSlow =
        commit !== undefined || prepared.some(({ operation }) => typeof operation === 'function');
      if (!isSlow && waiting.size === 0)
        return core.commits.write(
          prepared.flatMap(({ operation }) => (typeof operation === 'function' ? [] : [operation])),
        );
      const before = prepared.flatMap(({ key }) => waiting.get(key) ?? []);
      const written = Promise.allSettled(before)
        .then(() => operationsOf(core, prepared))
        .then(commit ?? ((operations) => core.commits.write(operations)));
      const settled = written.catch(() => undefined);
      for (const { key } of prepared) waiting.set(key, settled);
      void settled.then(() => {
        for (const { key } of prepared) if (waiting.get(key) === settled) waiting.delete(key);
      });
      return written;
    },
  };
}
